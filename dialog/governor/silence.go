package governor

import "fmt"

const (
	silentRounds = 2
	silentCalls  = 5
)

// silence counts what the model did since it last wrote text.
type silence struct {
	rounds, calls             int
	nudgedRounds, nudgedCalls int // what they were at the last nudge
}

func (s *silence) nudged() { s.nudgedRounds, s.nudgedCalls = s.rounds, s.calls }

func (s *silence) nudge() []Note {
	if s.rounds-s.nudgedRounds < silentRounds && s.calls-s.nudgedCalls < silentCalls {
		return nil
	}
	return []Note{{Kind: "nudge", To: "model", Text: fmt.Sprintf("[STATUS NUDGE] You have run %d tool call(s) over %d round(s) without sending the human any text. Before any more tool calls, send ONE short sentence that says what you are working on and why.", s.calls, s.rounds)}}
}
