package helper

var thisProcessor = arm64
