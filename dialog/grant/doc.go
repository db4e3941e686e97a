// Package grant decides which calls of a dialog may run. It owns what a human's approval
// means: nothing else in this program lets a call run that waits. It is pure: the install
// key, the state of files and the classes of tools come in as arguments.
//
// # The life of an approval
//
//  1. A model's response brings a Tool Request. Decide returns it as a Call whose Verdict is
//     Wait, unless its tool is one that never asks (Policy.Free), a rule of the dialog allows
//     or denies the tool (Grants.Rules), or it can't run as it is (Policy.Broken).
//  2. The human is shown the call, the bytes of its input and, if it writes a file, the file
//     as it stands (Target).
//  3. The human answers with control text, one Line each: "c1 approve", "c1 deny", "allow
//     edit_file deed/game/", "deny network". A line may name the hash of what was shown.
//  4. Effective completes the text: each approval gets the SHA-256 of the input, the tool, the
//     hash of the file and the path to which links lead. If any of these is another than the
//     human was shown, nothing is stored and the human is asked again. An allow releases the
//     calls that wait for it, each by an approval line of its own; a deny takes back what was
//     approved and has not started.
//  5. The text becomes an Authorization section with a Mac (Authority.Seal): an HMAC with the
//     key of this installation over the project, the dialog, the section's id, time and
//     payload, and the Mac of the Authorization before it. It is appended to the file, and is
//     then the only place where the approval is.
//  6. A Builder folds the Authorizations of the file into Grants, at each round and after each
//     restart from the text alone. Decide then returns the call with the Verdict Run, if its
//     bytes are still those that were approved.
//  7. A Note that the call started is appended, then the tool runs, then its Tool Result is
//     appended. A call with a result is decided no more: an approval holds once. A call that
//     started and has no result is interrupted and not run again (Call.Started).
//  8. The tool itself compares Call.Target and Call.Path with the disk when it writes, since
//     only it holds the file.
//
// # Tried first
//
// Under "try run_command" a command without the network runs unasked, in a layer above the
// deed: Decide returns it with the Verdict Run and Call.Tried. The Note that it started says
// so (dialog.TriedKey). When it has ended and changed something, a Note of Kind effect is
// appended, and from then on the Verdict is about Call.Effect: Wait asks a human, Run puts the
// effect into the deed, Refused drops it. While one waits no other call runs (EffectWaits).
// A command that changed nothing has its result at once. One that has neither is interrupted,
// and nothing of it was kept.
//
// An approval of an effect names its hash beside that of the input, and holds for this one
// effect; one of the input alone releases none, whenever it was given. A rule releases an
// effect if it allows each of its changes, "allow run_command" or one for a folder that stands
// beside try, and a denial of any change refuses all of it. An effect counts only by the first
// Note of it that is whole, behind the start of a call that was to be tried, and with the hash
// of its own changes; where text was lost behind it, no rule releases it.
//
// # What makes an approval void
//
// An Authorization counts only if it is whole, is the first with its id, and has the Mac of
// this installation for exactly where it stands (Builder, Authority.Genuine). So none counts
// that a model, a tool, a file, another installation, another project or another dialog wrote,
// that was altered or replayed, or that lost its predecessor. An Authorization without a Mac,
// written with an editor, counts only if the server was started to honour it
// (Authority.InFiles).
//
// It fails closed. What does not count, and every place where an Authorization may have been
// lost (Dialog.Authorizations), ends each allow and try above it and denies what it denies; such a
// section is Void. An approval above stays for its one call and its one input. A Note with
// "Void: yes", which is appended to a file that was imported or copied (VoidTail), ends approvals,
// too. An agent over ACP that has ended can't run what it asked for (Lapsed).
//
// Within one control text deny beats allow; across control texts the last line about a tool
// wins, and of several folders the longest; a call that was decided stays decided, except that
// a denial takes back an approval of a call that has not started.
//
// # What a doc asks for
//
// doc-main.md may hold a wish: control text for each new dialog of its project. It counts only
// with a Mac that a human's confirmation put there (Authority.Confirmed), bound to the text and
// to this project. Rules, which a doc declares without confirmation, grant nothing.
//
// Begin with Decide, Call, Verdict, Grants, Of, Builder, Authority, Line, Effective, Policy.
package grant
