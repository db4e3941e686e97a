package server

import (
	"net/http"
	"strconv"

	"vibey/dialog/jsontext"
)

// answer is a ResponseWriter that remembers the status that was sent, 0 for none. The
// answer to an act is sent only if valid returns nil right before; else it is withheld:
// nothing of it is sent, and away is why. A failure is sent as it is: its own reason says
// more.
type answer struct {
	http.ResponseWriter
	status int
	valid  func() error // nil for a request that only reads
	away   error
}

func (a *answer) WriteHeader(status int) {
	if a.begin(status) == nil {
		a.ResponseWriter.WriteHeader(status)
	}
}

func (a *answer) Write(p []byte) (int, error) {
	if err := a.begin(http.StatusOK); err != nil {
		return 0, err
	}
	return a.ResponseWriter.Write(p)
}

// FlushError is http.Flusher's, for http.ResponseController.
func (a *answer) FlushError() error {
	if err := a.begin(http.StatusOK); err != nil {
		return err
	}
	return http.NewResponseController(a.ResponseWriter).Flush()
}

// begin is called before anything is sent. It returns why the answer is withheld.
func (a *answer) begin(status int) error {
	if a.status != 0 || a.away != nil {
		return a.away
	}
	if a.valid != nil && status < http.StatusInternalServerError {
		a.away = a.valid()
	}
	if a.away == nil {
		a.status = status
	}
	return a.away
}

// Unwrap lets http.ResponseController reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// writeJSON answers 200 with v, and a line feed behind it.
func writeJSON(w http.ResponseWriter, v any) error { return writeStatus(w, http.StatusOK, v) }

// writeCreated answers 201 with v, as writeJSON does.
func writeCreated(w http.ResponseWriter, v any) error {
	return writeStatus(w, http.StatusCreated, v)
}

func writeStatus(w http.ResponseWriter, status int, v any) error {
	b, err := jsontext.Marshal(v)
	if err == nil {
		writeBytes(w, status, append(b, '\n'))
	}
	return err
}

func writeBytes(w http.ResponseWriter, status int, json []byte) {
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Content-Length"] = []string{strconv.Itoa(len(json))}
	w.WriteHeader(status)
	w.Write(json) // an error is a client that left
}

// noContent answers 204.
func noContent(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}
