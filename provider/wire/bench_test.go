package wire

import (
	"strings"
	"testing"

	"github.com/tmaxmax/go-sse"
)

const oneEvent = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"word \"}}\n\n"

// BenchmarkEvents is why there is a reader of our own.
func BenchmarkEvents(b *testing.B) {
	stream := strings.Repeat(oneEvent, 1000)
	b.Run("own", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if all, _ := readCount(stream); all != 1000 {
				b.Fatal(all)
			}
		}
	})
	b.Run("go-sse", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			for range sse.Read(strings.NewReader(stream), &sse.ReadConfig{MaxEventSize: maxEvent}) {
				n++
			}
			if n != 1000 {
				b.Fatal(n)
			}
		}
	})
}

func readCount(stream string) (n int, err error) {
	e := newEvents(strings.NewReader(stream))
	for {
		if _, err := e.next(); err != nil {
			return n, err
		}
		n++
	}
}
