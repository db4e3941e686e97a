package anthropic

import (
	"net/http"
	"testing"

	"vibey/provider"
	"vibey/provider/providertest"
)

func TestFixtures(t *testing.T) {
	providertest.Fixtures(t, func(c *http.Client) provider.Provider {
		return New(Config{Name: "test", BaseURL: "http://test.example/v1", Client: c})
	})
}

func FuzzStream(f *testing.F) {
	providertest.Fuzz(f, func(c *http.Client) provider.Provider {
		return New(Config{Name: "test", BaseURL: "http://test.example/v1", Client: c})
	})
}
