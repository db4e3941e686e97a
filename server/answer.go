package server

import (
	"net/http"
	"strconv"

	"vibey/dialog/jsontext"
)

// answer is a ResponseWriter that remembers the status that was sent, 0 for none.
type answer struct {
	http.ResponseWriter
	status int
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	if a.status == 0 {
		a.status = http.StatusOK
	}
	return a.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// writeJSON answers 200 with v, and a line feed behind it.
func writeJSON(w http.ResponseWriter, v any) error {
	b, err := jsontext.Marshal(v)
	if err != nil {
		return err
	}
	writeBytes(w, jsonType, append(b, '\n'))
	return nil
}

// writeCreated answers 201 with v, as writeJSON does.
func writeCreated(w http.ResponseWriter, v any) error {
	b, err := jsontext.Marshal(v)
	if err != nil {
		return err
	}
	w.Header()["Content-Type"] = jsonType
	w.WriteHeader(http.StatusCreated)
	w.Write(append(b, '\n')) // an error is a client that left
	return nil
}

func writeBytes(w http.ResponseWriter, contentType []string, b []byte) {
	h := w.Header()
	h["Content-Type"] = contentType
	h["Content-Length"] = []string{strconv.Itoa(len(b))}
	w.Write(b) // an error is a client that left
}

// noContent answers 204.
func noContent(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}
