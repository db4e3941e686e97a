package crash

import "fmt"

// fault is one call of the system that fails while a request is carried out.
type fault struct {
	act   string // what is asked for: prompt, approve, save, create
	calls string // which calls of the system fail
	errno string
	when  string // which of them, as strace counts: 2, or 1+ for all from the first on
	on    string // of what: dialog, open, folder, doc
}

// The answers of a disk that is broken, full, read-only, and of a process that
// may open no more files.
var faults = []fault{
	{"prompt", "fdatasync", "EIO", "1", "dialog"}, // the message
	{"prompt", "fdatasync", "EIO", "2", "dialog"}, // the answer
	{"prompt", "fdatasync", "ENOSPC", "2", "dialog"},
	{"prompt", "write", "ENOSPC", "1", "dialog"},
	{"prompt", "write", "ENOSPC", "2", "dialog"},
	{"prompt", "write", "EROFS", "1+", "dialog"},
	{"prompt", "pwrite64", "EIO", "1", "dialog"}, // the status's word
	{"prompt", "pwrite64", "EIO", "2", "dialog"},
	{"prompt", "write", "ENOSPC", "1", "open"}, // the pieces of the answer
	{"prompt", "write", "EIO", "3", "open"},
	{"prompt", "renameat2", "EROFS", "1", "folder"},
	{"prompt", "renameat2", "EIO", "2", "folder"},
	{"prompt", "fsync", "EIO", "1", "folder"}, // the status at the end
	{"prompt", "openat", "EMFILE", "1", "folder"},
	{"prompt", "openat", "EMFILE", "2", "folder"},
	{"prompt", "openat", "EMFILE", "3", "folder"},
	{"prompt", "openat", "EMFILE", "4", "folder"},
	{"prompt", "openat", "EROFS", "1+", "folder"},
	{"prompt", "openat,write,pwrite64,renameat2,unlinkat,fdatasync,fsync", "EROFS", "3+", "all"},
	{"approve", "fdatasync", "EIO", "1", "dialog"}, // the decision
	{"approve", "fdatasync", "EIO", "2", "dialog"}, // the Note that the tool starts
	{"approve", "fdatasync", "EIO", "3", "dialog"}, // its result
	{"approve", "write", "ENOSPC", "1", "dialog"},
	{"approve", "write", "ENOSPC", "2", "dialog"},
	{"approve", "write", "ENOSPC", "3", "dialog"},
	{"approve", "write", "ENOSPC", "3+", "dialog"},
	{"save", "write", "ENOSPC", "1", "doc"},
	{"save", "fsync", "EIO", "1", "doc"},
	{"save", "fsync", "EIO", "1", "folder"},
	{"save", "renameat", "EROFS", "1", "folder"},
	{"save", "openat", "EMFILE", "1+", "folder"},
	{"create", "openat", "ENOSPC", "1+", "folder"},
	{"create", "renameat2", "EROFS", "1+", "folder"},
	{"create", "fsync", "EIO", "1+", "folder"},
}

func (f *fault) String() string {
	return fmt.Sprintf("%s, %s %s of %s %s", f.act, f.calls, f.when, f.on, f.errno)
}
