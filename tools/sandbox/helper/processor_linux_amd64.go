package helper

var thisProcessor = amd64
