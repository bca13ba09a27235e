package reader

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/turnpike-edge/turnpike/backend/page/extract/maincontent"
)

//go:embed weights.bin.gz
var weights []byte

// weightsVersion is the version of the weights' format and of the figures.
const weightsVersion = 1

// weightsMax bounds the unpacked weights.
const weightsMax = 32 << 20

var errWeights = errors.New("the reader's weights are damaged")

// Shipped returns the model that is part of the program. The error says that the weights are damaged.
var Shipped = sync.OnceValues(func() (*Model, error) { return readModel(weights) })

// kindScale is how much of a stored kind weight is one.
const kindScale = 32

// Append appends the model to out, packed. The same model gives the same bytes.
func (m *Model) Append(out []byte) ([]byte, error) {
	raw := []byte{weightsVersion}
	raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(m.TrustMin))
	raw = binary.AppendUvarint(raw, uint64(len(m.Rarity)))
	for _, word := range slices.Sorted(maps.Keys(m.Rarity)) {
		raw = append(binary.LittleEndian.AppendUint32(raw, word), m.Rarity[word])
	}
	raw = binary.AppendUvarint(raw, uint64(len(m.Kinds)))
	for _, word := range slices.Sorted(maps.Keys(m.Kinds)) {
		raw = binary.LittleEndian.AppendUint32(raw, word)
		for _, v := range m.Kinds[word] {
			raw = append(raw, byte(int8(max(-127, min(127, math.Round(float64(v*kindScale)))))))
		}
	}
	raw = binary.AppendUvarint(raw, uint64(len(m.Links)))
	for _, v := range m.Links {
		raw = append(raw, byte(v))
	}
	raw = m.Trust.Append(m.Ranker.Append(raw))
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err //nolint:wrapcheck // the level is valid
	}
	if _, err := z.Write(raw); err != nil {
		return nil, fmt.Errorf("packing weights: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("packing weights: %w", err)
	}
	return append(out, packed.Bytes()...), nil
}

// readModel reads what Append wrote.
func readModel(packed []byte) (*Model, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errWeights, err)
	}
	raw, err := io.ReadAll(io.LimitReader(z, weightsMax))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errWeights, err)
	}
	r := stored{in: raw}
	if version := r.take(1)[0]; version != weightsVersion {
		return nil, fmt.Errorf("%w: version %d, want %d", errWeights, version, weightsVersion)
	}
	m := &Model{TrustMin: math.Float32frombits(r.word()), Rarity: map[uint32]uint8{}, Kinds: map[uint32][kinds]float32{}}
	for range r.count() {
		word := r.word()
		m.Rarity[word] = r.take(1)[0]
	}
	for range r.count() {
		word := r.word()
		var all [kinds]float32
		for k, v := range r.take(int(kinds)) {
			all[k] = float32(int8(v)) / kindScale
		}
		m.Kinds[word] = all
	}
	links := r.take(r.count())
	if len(links) != 1<<LinkBits {
		return nil, fmt.Errorf("%w: %d links, want %d", errWeights, len(links), 1<<LinkBits)
	}
	m.Links = make([]int8, len(links))
	for i, v := range links {
		m.Links[i] = int8(v)
	}
	if r.short {
		return nil, fmt.Errorf("%w: they end early", errWeights)
	}
	rest := r.in
	for _, f := range []**maincontent.Forest{&m.Ranker, &m.Trust} {
		if *f, rest, err = maincontent.ReadForest(rest); err != nil {
			return nil, fmt.Errorf("%w: %w", errWeights, err)
		}
	}
	return m, nil
}

// stored reads numbers from bytes; after the end it returns zeros.
type stored struct {
	in    []byte
	short bool
}

func (r *stored) take(n int) []byte {
	if n < 0 || len(r.in) < n {
		r.short, r.in = true, nil
		return make([]byte, min(max(n, 0), 1<<LinkBits))
	}
	taken := r.in[:n]
	r.in = r.in[n:]
	return taken
}

func (r *stored) word() uint32 { return binary.LittleEndian.Uint32(r.take(4)) }

func (r *stored) count() int {
	n, size := binary.Uvarint(r.in)
	if size <= 0 || n > uint64(len(r.in)) {
		r.short, r.in = true, nil
		return 0
	}
	r.in = r.in[size:]
	return int(n) //nolint:gosec // at most the bytes that are left
}
