package server

import "net/http"

type loginBody struct {
	Code string `json:"code"`
}

type loginAnswer struct {
	Token string `json:"token"`
}

func (s *server) login(w http.ResponseWriter, r *http.Request) error {
	var body loginBody
	if err := readJSON(w, r, &body); err != nil {
		return err
	}
	token, ok := s.Login(body.Code)
	if !ok {
		return refuse(401, "wrong-code", "This code is not right, or was used already. Get a fresh one with: vibey login")
	}
	return writeJSON(w, loginAnswer{token})
}
