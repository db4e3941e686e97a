package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"vibey/dialog"
)

func pngOf(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// halves is a picture whose left half is red and whose right half is blue.
func halves(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.RGBA{255, 0, 0, 255}
			if x >= w/2 {
				c = color.RGBA{0, 0, 255, 255}
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

// What is within the limits is sent as it is, to the byte, with what stands behind its end.
func TestFitLeavesAlone(t *testing.T) {
	for name, b := range map[string][]byte{
		"png": pngOf(t, halves(SideMost, 3)), "jpeg": jpegOf(t, halves(9, 9)), "gif": gifOf(t, 1), "polyglot": append(pngOf(t, halves(2, 2)), "<script>"...),
		"webp": []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"),
	} {
		if got, err := Fit(b); err != nil || !bytes.Equal(got, b) {
			t.Errorf("%s: %v, changed: %v", name, err, !bytes.Equal(got, b))
		}
	}
}

// What is too large is scaled to the longer side, and the same bytes give the same ones.
func TestFitScales(t *testing.T) {
	for _, c := range []struct{ w, h, toW, toH int }{
		{SideMost + 1, SideMost + 1, SideMost, SideMost}, {2000, 1500, 1568, 1176}, {1500, 2000, 1176, 1568}, {10_000, 2, 1568, 1}, {2, 9_999, 1, 1568}, {3136, 100, 1568, 50},
	} {
		for _, b := range [][]byte{pngOf(t, halves(c.w, c.h)), jpegOf(t, halves(c.w, c.h))} {
			got, err := Fit(b)
			if err != nil {
				t.Fatal(err)
			}
			again, _ := Fit(b)
			typ, size, _ := header(got)
			if typ != Kind(b) || size != image.Pt(c.toW, c.toH) || !bytes.Equal(got, again) {
				t.Errorf("%dx%d: %s %v, again the same: %v", c.w, c.h, typ, size, bytes.Equal(got, again))
			}
			if again, err := Fit(got); err != nil || !bytes.Equal(again, got) {
				t.Errorf("%dx%d: what was scaled is scaled again", c.w, c.h)
			}
		}
	}
	m, err := png.Decode(bytes.NewReader(must(Fit(pngOf(t, halves(3137, 40))))))
	if err != nil {
		t.Fatal(err)
	}
	at := func(x int) color.RGBA { return color.RGBAModel.Convert(m.At(x, 10)).(color.RGBA) }
	if at(0) != (color.RGBA{255, 0, 0, 255}) || at(782) != (color.RGBA{255, 0, 0, 255}) || at(785) != (color.RGBA{0, 0, 255, 255}) {
		t.Errorf("%v %v %v", at(0), at(782), at(785))
	}
	grey := image.NewGray(image.Rect(0, 0, 1700, 3))
	for i := range grey.Pix {
		grey.Pix[i] = uint8(i * i / 7)
	}
	if m, err = png.Decode(bytes.NewReader(must(Fit(pngOf(t, grey))))); err != nil {
		t.Fatal(err)
	}
	const golden = "a36cceb5eaf8827c2be0d348c90f4e2ed26d31e8c1ad6cbbf74f9c1417822c43"
	if got := dialog.SHA256(m.(*image.RGBA).Pix); got != golden {
		t.Errorf("the rule has another result: %s", got)
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// A file of many bytes is made smaller, though it has few pixels.
func TestFitMakesSmaller(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, SideMost, SideMost))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		m.Pix[i] = uint8(r.Uint32())
	}
	b := pngOf(t, m)
	got, err := Fit(b)
	if len(b) <= BytesMost || err != nil || len(got) > BytesMost || Kind(got) != JPEG {
		t.Errorf("%d bytes became %d, %s: %v", len(b), len(got), Kind(got), err)
	}
}

func gifOf(t testing.TB, n int) []byte {
	all := &gif.GIF{}
	for i := range n {
		m := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.White, color.Black})
		m.Pix[i] = 1
		all.Image, all.Delay = append(all.Image, m), append(all.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, all); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Of a GIF that moves the first image is sent.
func TestFitStills(t *testing.T) {
	got, err := Fit(gifOf(t, 3))
	if err != nil || Kind(got) != PNG {
		t.Fatalf("%s: %v", Kind(got), err)
	}
	m, err := png.Decode(bytes.NewReader(got))
	if err != nil || m.Bounds().Dx() != 4 {
		t.Fatal(err)
	}
	if r, _, _, _ := m.At(0, 0).RGBA(); r != 0 {
		t.Error("it is another image than the first")
	}
}

// withOrientation puts Exif data into a JPEG.
func withOrientation(b []byte, turn uint16, order binary.AppendByteOrder) []byte {
	tiff := []byte("II*\x00\x08\x00\x00\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		tiff = []byte("MM\x00*\x00\x00\x00\x08")
	}
	tiff = order.AppendUint16(tiff, 1)
	tiff = order.AppendUint16(order.AppendUint16(tiff, 0x0112), 3)
	tiff = order.AppendUint16(order.AppendUint32(tiff, 1), turn)
	exif := append([]byte("Exif\x00\x00"), append(tiff, 0, 0, 0, 0, 0, 0)...)
	out := append([]byte{}, b[:2]...)
	out = binary.BigEndian.AppendUint16(append(out, 0xff, 0xe1), uint16(len(exif)+2))
	return append(append(out, exif...), b[2:]...)
}

// A photograph that is scaled loses its Exif data, and is turned as they said before.
func TestFitTurns(t *testing.T) {
	b := jpegOf(t, halves(1600, 800))              // red on the left
	for turn, red := range map[uint16]image.Point{ // where red is seen then, of a picture of 2 by 2
		1: {0, -1}, 2: {1, -1}, 3: {1, -1}, 4: {0, -1}, 5: {-1, 0}, 6: {-1, 0}, 7: {-1, 1}, 8: {-1, 1},
	} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			m, err := jpeg.Decode(bytes.NewReader(must(Fit(withOrientation(b, turn, order)))))
			if err != nil {
				t.Fatal(err)
			}
			size := m.Bounds().Size()
			if wide := size.X > size.Y; wide != (turn < 5) {
				t.Errorf("%d: %v", turn, size)
			}
			at := func(n, side int) int { return side/4 + max(n, 0)*side/2 }
			r, _, blue, _ := m.At(at(red.X, size.X), at(red.Y, size.Y)).RGBA()
			if r < 0xc000 || blue > 0x4000 {
				t.Errorf("%d: red is not at %v", turn, red)
			}
		}
	}
}

// What can't be shown is found out, and costs no memory.
func TestFitRefuses(t *testing.T) {
	whole := pngOf(t, halves(40, 40))
	bomb := append([]byte{}, whole...)
	binary.BigEndian.PutUint32(bomb[16:], 60_000) // its width and height
	binary.BigEndian.PutUint32(bomb[20:], 60_000)
	webp := func(chunk string) []byte { return append([]byte("RIFF\x24\x00\x00\x00WEBP"), chunk...) }
	large := "VP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xff\xff\x00\xff\xff\x00" + strings.Repeat("\x00", 20)
	for name, b := range map[string][]byte{
		"nothing": nil, "text": []byte("hello"), "svg": []byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`), "pdf": []byte("%PDF-1.4"),
		"half of a png": whole[:len(whole)/2], "a bomb": bomb, "half of a jpeg": jpegOf(t, halves(64, 64))[:300], "half of a gif": gifOf(t, 1)[:30],
		"large webp": webp(large), "webp that moves": webp("VP8X\x0a\x00\x00\x00\x02\x00\x00\x00\x01\x00\x00\x01\x00\x00" + strings.Repeat("\x00", 20)), "half of a webp": webp("VP8X\x0a\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00"),
	} {
		if got, err := Fit(b); err == nil {
			t.Errorf("%s: %d bytes are sent", name, len(got))
		}
	}
}

// Nothing that is pasted breaks what looks at it.
func FuzzFit(f *testing.F) {
	for _, b := range [][]byte{pngOf(f, halves(3, 3)), jpegOf(f, halves(3, 3)), gifOf(f, 2), withOrientation(jpegOf(f, halves(1600, 2)), 6, binary.LittleEndian)} {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, size, ok := header(b); ok && size.X*size.Y > 1<<22 {
			return
		}
		if got, err := Fit(b); err == nil && !Still(Kind(got)) {
			t.Errorf("%q is sent", Kind(got))
		}
		orientation(b)
	})
}
