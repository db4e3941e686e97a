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

// Where returns the path that a call names, as Named does, and the path in the project
// to which links lead it now; "" where they lead nowhere that it may write.
func Where(env Env, tool, args string) (named, real string) {
	named = Named(tool, args)
	if named == "" {
		return "", ""
	}
	p, err := find(env, named, false)
	if m, ok := errors.AsType[*missingError](err); ok {
		return named, m.name
	}
	if err != nil {
		return named, ""
	}
	p.close()
	return named, p.name
}
