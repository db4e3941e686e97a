package providertest

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// picturePart reads a URL that holds a picture, of a type that every API takes.
func picturePart(url string) (part, error) {
	typ, data, ok := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	b, err := base64.StdEncoding.DecodeString(data)
	switch {
	case !ok || err != nil:
		return part{}, errors.New("a picture that is no base64")
	case typ != "image/png" && typ != "image/jpeg" && typ != "image/gif" && typ != "image/webp", http.DetectContentType(b) != typ:
		return part{}, fmt.Errorf("a picture of type %q whose bytes are %s", typ, http.DetectContentType(b))
	}
	return part{kind: "user", text: url}, nil
}

// chatContent is the content of a chat message: a string, or a list of parts with a picture
// among them.
type chatContent struct {
	text  string
	parts []part
}

// UnmarshalJSON implements json.Unmarshaler.
func (c *chatContent) UnmarshalJSON(b []byte) error {
	if b[0] != '[' {
		return json.Unmarshal(b, &c.text)
	}
	var all []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL *struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := decode(b, &all); err != nil {
		return err
	}
	pictures := 0
	for i, p := range all {
		switch {
		case p.Type == "text" && p.Text != "" && p.ImageURL == nil:
			if i > 0 && all[i-1].Type == "text" {
				return errors.New("two texts in a row, which is one text")
			}
			c.parts = append(c.parts, part{kind: "user", text: p.Text})
		case p.Type == "image_url" && p.ImageURL != nil:
			picture, err := picturePart(p.ImageURL.URL)
			if err != nil {
				return err
			}
			c.parts = append(c.parts, picture)
			pictures++
		default:
			return fmt.Errorf("a part of type %q", p.Type)
		}
	}
	if pictures == 0 {
		return errors.New("a list of parts without a picture, which not every server reads")
	}
	return nil
}
