package tools

import (
	"context"
	"io/fs"
)

type writeFileInput struct {
	Path        string `json:"path" jsonschema:"minLength=1"`
	Content     string `json:"content"`
	Description string `json:"description,omitempty"`
}

// writeFile makes a file or replaces it whole.
func writeFile(ctx context.Context, env Env, in writeFileInput) Result {
	return rewrite(ctx, env, in.Path, true, func([]byte, fs.FileInfo) ([]byte, error) {
		return []byte(in.Content), nil
	})
}
