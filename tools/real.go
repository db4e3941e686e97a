package tools

import "errors"

// Named returns the path in the project that a write_file or edit_file call names,
// cleaned, or "" where it may write no such path. It does not look at the disk.
func Named(tool, args string) string {
	given, ok := pathIn(tool, args)
	if !ok || leaves(given) { // cleanPath looks at the disk to say what was meant instead
		return ""
	}
	clean, err := cleanPath(Env{}, given)
	if err != nil {
		return ""
	}
	return clean
}

// Real returns the path in the project to which links lead the file of a call now, also
// where it or its folder is still to be made; "" where Named is "", or where they lead
// nowhere that may be written.
func Real(env Env, tool, args string) string {
	named := Named(tool, args)
	if named == "" {
		return ""
	}
	name, err := leads(env, named)
	if err != nil {
		return ""
	}
	return name
}

// leads returns the path in the project to which links lead a path now, also where it or
// its folder is still to be made.
func leads(env Env, given string) (string, error) {
	p, err := find(env, given, false)
	if m, ok := errors.AsType[*missingError](err); ok {
		return m.name, nil
	}
	if err != nil {
		return "", err
	}
	p.close()
	return p.name, nil
}
