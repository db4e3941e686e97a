package project

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Who asks while a reading is made gets a later one, and all of them the same one.
func TestSharedReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shared[int]
		readings, release := 0, make(chan struct{})
		read := func() (int, error) {
			readings++
			n := readings
			<-release
			return n, nil
		}
		var all sync.WaitGroup
		var mu sync.Mutex
		got := map[int]int{}
		ask := func() {
			n, err := s.get(read)
			mu.Lock()
			defer mu.Unlock()
			if got[n]++; err != nil {
				t.Error(err)
			}
		}
		all.Go(ask)
		synctest.Wait() // the first is being made
		for range 500 {
			all.Go(ask)
		}
		synctest.Wait()
		close(release)
		all.Wait()
		if readings != 2 || got[1] != 1 || got[2] != 500 {
			t.Errorf("%d readings for %v", readings, got)
		}
	})
}

// Readings that take a millisecond each are a twentieth of the time, however many ask.
func TestSharedReadingsArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shared[int]
		readings := 0
		read := func() (int, error) { readings++; time.Sleep(time.Millisecond); return 0, nil }
		begin := time.Now()
		s.get(read)
		if alone := time.Since(begin); alone != time.Millisecond {
			t.Errorf("alone it took %v", alone)
		}
		var all sync.WaitGroup
		for range 1000 {
			all.Go(func() { s.get(read) })
			time.Sleep(time.Millisecond)
		}
		all.Wait()
		if most := int(time.Since(begin)/(20*time.Millisecond)) + 2; readings > most {
			t.Errorf("%d readings in %v", readings, time.Since(begin))
		}
	})
}

// Those who share a reading that panics get an error, and the next reading is made.
func TestSharedReadingPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shared[int]
		release := make(chan struct{})
		go s.get(func() (int, error) { <-release; return 0, nil })
		synctest.Wait()
		go func() {
			defer func() { recover() }()
			s.get(func() (int, error) { panic("broken") })
		}()
		synctest.Wait()
		failed := false
		go func() { _, err := s.get(nil); failed = err != nil }()
		synctest.Wait()
		close(release)
		synctest.Wait()
		time.Sleep(restMost)
		synctest.Wait()
		if !failed {
			t.Error("no error")
		}
		if n, err := s.get(func() (int, error) { return 7, nil }); n != 7 || err != nil {
			t.Error(n, err)
		}
	})
}

func TestDocNames(t *testing.T) {
	p := testProject(t)
	folder := p.Root().Name()
	for _, name := range []string{"doc-b.md", "dialog-20260216-201100-x-done.md", ".hidden.md", "note.txt"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		names, err := p.DocNames()
		if slices.Sort(names); err != nil || !slices.Equal(names, []string{"doc-b.md", "doc-main.md"}) {
			t.Errorf("%s: %q, %v", name, names, err)
		}
	}
}
