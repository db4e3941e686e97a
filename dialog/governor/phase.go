package governor

import "vibey/dialog"

// Phase is where a turn stands in a project with the rule "phases on".
type Phase string

// The phases, in their order. A turn that changes something after it was verified
// goes back to Execute.
const (
	NoPhase    Phase = "" // phases are off
	Recon      Phase = "recon"
	Checkpoint Phase = "checkpoint"
	Execute    Phase = "execute"
	Verify     Phase = "verify"
	Final      Phase = "final"
)

// Label returns what people read of a phase.
func (p Phase) Label() string {
	return map[Phase]string{
		Recon: "Looking around", Checkpoint: "Agreeing on what to do", Execute: "Making the change",
		Verify: "Checking the change", Final: "Reporting",
	}[p]
}

type phase struct {
	now   Phase
	noted Phase // of the last Note
}

func (p *phase) begin(on bool) {
	if on {
		p.now = Recon
	}
}

func (p *phase) result(c *call) {
	switch {
	case c.refused != "":
	case p.now == Recon && c.tool == "checkpoint" && c.success:
		p.now = Execute
	case p.now == Execute && c.verifies:
		p.now = Verify
	case p.now == Verify && len(c.other()) > 0 && !c.verifies:
		p.now = Execute
	}
}

func (p *phase) gate() {
	if p.now == Execute {
		p.now = Verify
	}
}

// gated returns the Note of the phase that begins with that of the gate.
func (p *phase) gated() []Note {
	if p.now != Execute {
		return nil
	}
	return []Note{phaseNote(Verify)}
}

// notes returns the Notes of the phases that began since the last one.
func (p *phase) notes() []Note {
	if p.now == p.noted {
		return nil
	}
	if p.noted == Recon && p.now != Recon {
		return []Note{phaseNote(Checkpoint), phaseNote(p.now)}
	}
	return []Note{phaseNote(p.now)}
}

// end returns the Note of the last phase.
func (p *phase) end() []Note {
	notes := p.notes()
	if p.now == NoPhase || p.noted == Final {
		return nil
	}
	return append(notes, phaseNote(Final))
}

func phaseNote(p Phase) Note {
	return Note{Kind: "phase", To: "human", Text: p.Label(), Meta: dialog.Fields{{Key: "Phase", Value: string(p)}}}
}

// Phase returns where the turn stands.
func (j *Judge) Phase() Phase {
	if j.phase.noted == Final {
		return Final
	}
	return j.phase.now
}
