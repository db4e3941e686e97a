package sandbox

var thisProcessor = arm64
