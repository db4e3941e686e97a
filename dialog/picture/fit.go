package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
)

// What of a picture is sent to a model.
const (
	SideMost  = 1568      // pixels on the longer side
	BytesMost = 4_000_000 // of a file
	// SentMost is how many pictures one request has, and SentBytes how many bytes they have
	// together: the limits of the APIs are on the whole body, in which 3 bytes are 4.
	SentMost  = 20
	SentBytes = 20_000_000
	// Tokens is what a picture counts where no provider has counted it.
	Tokens = 1600
)

const (
	pixelsMost = 50_000_000 // that are decoded: 200 MB in memory
	quality    = 85         // of a JPEG
)

// ErrNotShown is of a file that can't be sent to a model: no picture made of pixels, one that
// is damaged, or one that would have to be scaled and can't be, as a WebP.
var ErrNotShown = errors.New("it can't be shown to a model")

// Fit returns a picture as it is sent: b itself where it is within the limits, a still
// picture, and whole; else it scaled, or its first image. The same bytes always give the
// same ones. The error is ErrNotShown.
func Fit(b []byte) (fitted []byte, err error) {
	typ, size, ok := header(b)
	if !ok || size.X > pixelsMost/size.Y {
		return nil, ErrNotShown
	}
	large := max(size.X, size.Y) > SideMost || len(b) > BytesMost
	if typ == WebP { // which this program can't decode
		moves := string(b[12:16]) == "VP8X" && b[20]&2 != 0
		if whole := int(binary.LittleEndian.Uint32(b[4:])) <= len(b)-8; large || moves || !whole {
			return nil, ErrNotShown
		}
		return b, nil
	}
	m, still, err := decode(typ, b)
	if err != nil {
		return nil, ErrNotShown
	}
	if !large && still {
		return b, nil
	}
	small := scaled(m)
	if turn := orientation(b); typ == JPEG && turn > 1 {
		small = turned(small, turn)
	}
	return encode(typ, small)
}

// decode returns the picture, or the first of several.
func decode(typ string, b []byte) (m image.Image, still bool, err error) {
	switch r := bytes.NewReader(b); typ {
	case PNG:
		m, err = png.Decode(r)
	case JPEG:
		m, err = jpeg.Decode(r)
	default:
		if m, err = gif.Decode(r); err == nil {
			return m, isStill(b), nil
		}
	}
	return m, true, err
}

// isStill reports whether a GIF has one image alone. Its blocks are walked, and not decoded:
// a thousand images of it would have to be in memory at once.
func isStill(b []byte) bool {
	images, at := 0, gifHead+colourTable(b[gifHead-3])
	for at < len(b) {
		switch b[at] {
		case gifExtension:
			at += 2
		case gifImage:
			if images++; images > 1 || at+10 > len(b) {
				return images <= 1
			}
			at += 10 + colourTable(b[at+9]) + 1
		default:
			return true
		}
		for at < len(b) && b[at] != 0 {
			at += int(b[at]) + 1
		}
		at++
	}
	return true
}

// encode writes a picture in the form that it had, a GIF as PNG; one that is too large as
// PNG becomes a JPEG, on white.
func encode(typ string, m *image.RGBA) ([]byte, error) {
	var b bytes.Buffer
	if typ != JPEG {
		if err := png.Encode(&b, m); err != nil {
			return nil, ErrNotShown
		}
		if b.Len() <= BytesMost {
			return b.Bytes(), nil
		}
		b.Reset()
		onWhite := image.NewRGBA(m.Rect)
		draw.Draw(onWhite, m.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(onWhite, m.Rect, m, image.Point{}, draw.Over)
		m = onWhite
	}
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality}); err != nil {
		return nil, ErrNotShown
	}
	return b.Bytes(), nil
}

// scaled returns a picture whose longer side has SideMost pixels at most. Each pixel is the
// mean of those that it covers, by the share of each.
func scaled(m image.Image) *image.RGBA {
	from := m.Bounds().Size()
	to := from
	if longer := max(from.X, from.Y); longer > SideMost {
		fit := func(n int) int { return max(1, (2*n*SideMost+longer)/(2*longer)) }
		to = image.Pt(fit(from.X), fit(from.Y))
	}
	out := image.NewRGBA(image.Rectangle{Max: to})
	row := image.NewRGBA(image.Rect(0, 0, from.X, 1))
	narrow := make([]uint64, 4*to.X) // a row of m, from.X times each value
	sum := make([]uint64, 4*to.X)    // of the rows of a row of out, from.X * from.Y times
	y, left := 0, from.Y
	for k := range from.Y {
		draw.Draw(row, row.Rect, m, m.Bounds().Min.Add(image.Pt(0, k)), draw.Src)
		shrinkRow(narrow, row.Pix, from.X, to.X)
		for part := to.Y; part > 0; { // this row covers to.Y parts of from.Y a row of out
			n := min(part, left)
			for i, v := range narrow {
				sum[i] += v * uint64(n)
			}
			part, left = part-n, left-n
			if left > 0 {
				continue
			}
			whole := uint64(from.X) * uint64(from.Y)
			for i, v := range sum {
				out.Pix[y*out.Stride+i] = uint8((v + whole/2) / whole)
			}
			clear(sum)
			y, left = y+1, from.Y
		}
	}
	return out
}

// shrinkRow sums up the pixels of a row of from pixels that each of to pixels covers, each by
// its share of from parts.
func shrinkRow(out []uint64, pix []uint8, from, to int) {
	clear(out)
	x, left := 0, from
	for k := range from {
		for part := to; part > 0; {
			n := min(part, left)
			for c := range 4 {
				out[4*x+c] += uint64(pix[4*k+c]) * uint64(n)
			}
			if part, left = part-n, left-n; left == 0 {
				x, left = x+1, from
			}
		}
	}
}

// orientation returns how a JPEG is to be turned, 1 to 8, by its Exif data; 1 is as it is.
// Source: CIPA DC-008 (Exif 2.32), 4.5.4 and 4.6.4, tag 0x0112.
func orientation(b []byte) int {
	for at := 2; at+4 <= len(b) && b[at] == 0xff; {
		size := int(binary.BigEndian.Uint16(b[at+2:]))
		if b[at+1] == 0xda || size < 2 || at+2+size > len(b) {
			break
		}
		if exif, ok := bytes.CutPrefix(b[at+4:at+2+size], []byte("Exif\x00\x00")); ok && b[at+1] == 0xe1 {
			return orientationIn(exif)
		}
		at += 2 + size
	}
	return 1
}

// orientationIn reads the first directory of a TIFF header.
func orientationIn(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if tiff[0] == 'M' {
		order = binary.BigEndian
	}
	at := int(order.Uint32(tiff[4:]))
	if at < 8 || at+2 > len(tiff) {
		return 1
	}
	entries := int(order.Uint16(tiff[at:]))
	for at += 2; entries > 0 && at+12 <= len(tiff); entries, at = entries-1, at+12 {
		if order.Uint16(tiff[at:]) == 0x0112 {
			if turn := int(order.Uint16(tiff[at+8:])); turn >= 1 && turn <= 8 {
				return turn
			}
		}
	}
	return 1
}

// turned returns a picture as an Exif orientation says that it is seen.
func turned(m *image.RGBA, orientation int) *image.RGBA {
	size := m.Rect.Size()
	if orientation >= 5 {
		size.X, size.Y = size.Y, size.X
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	w, h := m.Rect.Dx()-1, m.Rect.Dy()-1
	for y := range size.Y {
		for x := range size.X {
			from := [...]image.Point{2: {w - x, y}, 3: {w - x, h - y}, 4: {x, h - y}, 5: {y, x}, 6: {y, h - x}, 7: {w - y, h - x}, 8: {w - y, x}}[orientation]
			out.SetRGBA(x, y, m.RGBAAt(from.X, from.Y))
		}
	}
	return out
}
