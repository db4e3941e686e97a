package anthropic

import (
	"flag"
	"net/http"
	"testing"

	"vibey/provider"
	"vibey/provider/providertest"
)

var update = flag.Bool("update", false, "rewrite what must follow in testdata")

func TestFixtures(t *testing.T) {
	providertest.Fixtures(t, *update, func(c *http.Client) provider.Provider {
		return New(Config{Name: "test", BaseURL: "http://test.example/v1", Client: c})
	})
}

func FuzzStream(f *testing.F) {
	providertest.Fuzz(f, func(c *http.Client) provider.Provider {
		return New(Config{Name: "test", BaseURL: "http://test.example/v1", Client: c})
	})
}
