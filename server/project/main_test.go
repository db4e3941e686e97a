package project

import (
	"os"
	"testing"

	"vibey/cmd/tally/testenv"
)

func TestMain(m *testing.M) { os.Exit(testenv.Main(m)) }
