package object

// unpredict undoes a predictor (ISO 32000-1, 7.4.4.4). Parameters that make no sense leave the data as they are.
func unpredict(b *Budget, parms Dict, data []byte) []byte {
	predictor, _ := integer(parms["Predictor"])
	if predictor < 2 {
		return data
	}
	setting := func(key Name, def, limit int) int {
		v, ok := integer(parms[key])
		if !ok || v < 1 || v > limit {
			return def
		}
		return v
	}
	colors, bits, columns := setting("Colors", 1, 32), setting("BitsPerComponent", 8, 16), setting("Columns", 1, 1<<20)
	pixel := max((colors*bits+7)/8, 1)
	row := min((colors*bits*columns+7)/8, max(len(data), 1))
	if !b.Alive() {
		return nil
	}
	if predictor == 2 {
		if bits == 8 {
			unTIFF(data, row, colors)
		}
		return data
	}
	return unPNG(data, row, pixel)
}

// unTIFF adds to each component the one to its left, in place.
func unTIFF(data []byte, row, colors int) {
	for start := 0; start < len(data); start += row {
		line := data[start:min(start+row, len(data))]
		for i := colors; i < len(line); i++ {
			line[i] += line[i-colors]
		}
	}
}

// unPNG undoes the filters of PNG, whose number stands before each row. It works in place: out never overtakes in.
func unPNG(data []byte, row, pixel int) []byte {
	out := data[:0]
	above := make([]byte, row)
	line := make([]byte, row)
	for in := 0; in+1 < len(data); {
		kind := data[in]
		n := min(row, len(data)-in-1)
		copy(line, data[in+1:in+1+n])
		clear(line[n:])
		in += 1 + n
		unPNGRow(kind, line, above, pixel)
		out = append(out, line[:n]...)
		line, above = above, line
	}
	return out
}

func unPNGRow(kind byte, line, above []byte, pixel int) {
	for i := range line {
		var left, upLeft byte
		if i >= pixel {
			left, upLeft = line[i-pixel], above[i-pixel]
		}
		switch kind {
		case 1:
			line[i] += left
		case 2:
			line[i] += above[i]
		case 3:
			line[i] += byte((int(left) + int(above[i])) / 2)
		case 4:
			line[i] += paeth(left, above[i], upLeft)
		}
	}
}

// paeth is the neighbour that is nearest to left + up - upLeft (PNG, 9.4).
func paeth(left, up, upLeft byte) byte {
	p := int(left) + int(up) - int(upLeft)
	distance := func(v byte) int { return max(p-int(v), int(v)-p) }
	if distance(left) <= distance(up) && distance(left) <= distance(upLeft) {
		return left
	}
	if distance(up) <= distance(upLeft) {
		return up
	}
	return upLeft
}
