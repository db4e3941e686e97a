package sandbox

var thisProcessor = amd64
