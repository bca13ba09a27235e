package object

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5" //nolint:gosec // the standard's own; it hides nothing from us
	"crypto/rc4" //nolint:gosec // likewise
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
)

// cryptMethod is how a kind of data is encrypted.
type cryptMethod uint8

const (
	cryptNone cryptMethod = iota
	cryptRC4
	cryptAES128
	cryptAES256
)

// crypt is the standard security handler, opened with the empty user password (ISO 32000-1, 7.6.3; ISO 32000-2, 7.6.4).
// That is how nearly all files are protected that can be seen without being asked for anything.
type crypt struct {
	key              []byte
	strings, streams cryptMethod
	metadata         bool // whether metadata streams are encrypted
}

// passwordPadding fills passwords up to 32 bytes (7.6.3.3); alone it is the empty one.
const passwordPadding = "\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08" +
	"\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A"

// unlock makes the key of an encrypted file. The error is ErrEncrypted where the empty password is not the right one,
// or the method is unknown.
func (f *File) unlock() error {
	if f.crypt != nil || f.trailer["Encrypt"] == nil {
		return nil
	}
	d := f.Dict(f.trailer["Encrypt"])
	if d == nil {
		return nil // the reference is dead: nothing can have been encrypted by it
	}
	d = f.flat(d)
	if d["Filter"] != Name("Standard") {
		return ErrEncrypted
	}
	c := &crypt{metadata: d["EncryptMetadata"] != false}
	version, _ := integer(d["V"])
	revision, _ := integer(d["R"])
	length, ok := integer(d["Length"])
	if !ok || length < 40 || length > 128 || length%8 != 0 {
		length = 40
	}
	switch version {
	case 1:
		c.strings, c.streams, length = cryptRC4, cryptRC4, 40
	case 2, 3:
		c.strings, c.streams = cryptRC4, cryptRC4
	case 4, 5:
		c.streams, c.strings = f.cryptFilter(d, "StmF"), f.cryptFilter(d, "StrF")
		length = 128
	default:
		return ErrEncrypted
	}
	if revision >= 5 {
		c.key = modernKey(d, revision)
	} else {
		c.key = f.olderKey(d, revision, length/8, c.metadata)
	}
	if c.key == nil {
		return ErrEncrypted
	}
	f.crypt = c
	// What was read until now was read without the key.
	f.forget()
	if r, ok := f.trailer["Encrypt"].(Ref); ok {
		f.cache[int(r)] = d // its own strings are never encrypted
	}
	return nil
}

// cryptFilter is the method of a named crypt filter (7.6.5).
func (f *File) cryptFilter(d Dict, key Name) cryptMethod {
	filter := f.Dict(f.Dict(d["CF"])[f.Name(d[key])])
	switch f.Name(filter["CFM"]) {
	case "V2":
		return cryptRC4
	case "AESV2":
		return cryptAES128
	case "AESV3":
		return cryptAES256
	}
	return cryptNone
}

// olderKey is algorithm 2 of ISO 32000-1, checked by algorithm 6. It is nil where the password is not empty.
func (f *File) olderKey(d Dict, revision, n int, metadata bool) []byte {
	owner, _ := d["O"].(String)
	user, _ := d["U"].(String)
	permissions, _ := integer(d["P"])
	if len(owner) < 32 || len(user) < 16 {
		return nil
	}
	var id String
	if ids := f.Array(f.trailer["ID"]); len(ids) > 0 {
		id, _ = f.Resolve(ids[0]).(String)
	}
	input := append([]byte(passwordPadding), owner[:32]...)
	input = binary.LittleEndian.AppendUint32(input, uint32(permissions)) //nolint:gosec // the low 32 bits are meant
	input = append(input, id...)
	if revision >= 4 && !metadata {
		input = append(input, 0xff, 0xff, 0xff, 0xff)
	}
	sum := md5.Sum(input) //nolint:gosec // the standard's own
	key := sum[:n]
	if revision >= 3 {
		for range 50 {
			sum = md5.Sum(key) //nolint:gosec // the standard's own
			key = sum[:n]
		}
	}
	key = bytes.Clone(key)
	if revision == 2 {
		if !bytes.Equal(cryptRC4Bytes(key, []byte(passwordPadding)), user[:min(32, len(user))]) {
			return nil
		}
		return key
	}
	check := md5.Sum(append([]byte(passwordPadding), id...)) //nolint:gosec // the standard's own
	out := check[:]
	for i := range 20 {
		turned := bytes.Clone(key)
		for j := range turned {
			turned[j] ^= byte(i)
		}
		out = cryptRC4Bytes(turned, out)
	}
	if !bytes.Equal(out, user[:16]) {
		return nil
	}
	return key
}

// modernKey is algorithm 2.A of ISO 32000-2, for AES-256.
func modernKey(d Dict, revision int) []byte {
	user, _ := d["U"].(String)
	wrapped, _ := d["UE"].(String)
	if len(user) < 48 || len(wrapped) < 32 {
		return nil
	}
	hash := func(salt []byte) []byte {
		sum := sha256.Sum256(salt)
		if revision == 5 {
			return sum[:]
		}
		return hardened(sum[:])
	}
	if !bytes.Equal(hash(user[32:40]), user[:32]) {
		return nil
	}
	block, err := aes.NewCipher(hash(user[40:48]))
	if err != nil {
		return nil
	}
	key := make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(key, wrapped[:32])
	return key
}

// hardened is algorithm 2.B of ISO 32000-2 for the empty password. It ends after 64 rounds and at most 256 more, since a
// byte is at most the round less 32 by then.
func hardened(key []byte) []byte {
	for round := 0; ; round++ {
		input := bytes.Repeat(key, 64)
		block, err := aes.NewCipher(key[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, key[16:32]).CryptBlocks(input, input)
		sum := 0
		for _, b := range input[:16] {
			sum += int(b)
		}
		switch sum % 3 {
		case 0:
			h := sha256.Sum256(input)
			key = h[:]
		case 1:
			h := sha512.Sum384(input)
			key = h[:]
		default:
			h := sha512.Sum512(input)
			key = h[:]
		}
		if round >= 63 && int(input[len(input)-1]) <= round+1-32 {
			return key[:32]
		}
	}
}

func cryptRC4Bytes(key, data []byte) []byte {
	c, err := rc4.NewCipher(key) //nolint:gosec // the standard's own
	if err != nil {
		return nil
	}
	out := make([]byte, len(data))
	c.XORKeyStream(out, data)
	return out
}

// decrypt undoes the encryption of one string or stream (7.6.2, algorithm 1).
func (c *crypt) decrypt(method cryptMethod, data []byte, number, generation int) []byte {
	key := c.key
	switch method {
	case cryptNone:
		return data
	case cryptRC4, cryptAES128:
		input := append(bytes.Clone(key), byte(number), byte(number>>8), byte(number>>16), byte(generation), byte(generation>>8))
		if method == cryptAES128 {
			input = append(input, "sAlT"...)
		}
		sum := md5.Sum(input) //nolint:gosec // the standard's own
		key = sum[:min(len(c.key)+5, 16)]
		if method == cryptRC4 {
			return cryptRC4Bytes(key, data)
		}
	case cryptAES256:
	}
	block, err := aes.NewCipher(key)
	if err != nil || len(data) < 2*aes.BlockSize {
		return nil
	}
	iv, data := data[:aes.BlockSize], data[aes.BlockSize:]
	data = bytes.Clone(data[:len(data)/aes.BlockSize*aes.BlockSize])
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(data, data)
	if pad := int(data[len(data)-1]); pad >= 1 && pad <= aes.BlockSize {
		data = data[:len(data)-pad]
	}
	return data
}

// decryptStrings decrypts the strings in a value, in place where that can be.
func (f *File) decryptStrings(v any, number, generation, depth int) any {
	if f.crypt == nil || f.crypt.strings == cryptNone || depth > nestingMax {
		return v
	}
	switch v := v.(type) {
	case String:
		return String(f.crypt.decrypt(f.crypt.strings, v, number, generation))
	case Array:
		for i := range v {
			v[i] = f.decryptStrings(v[i], number, generation, depth+1)
		}
	case Dict:
		for key := range v {
			v[key] = f.decryptStrings(v[key], number, generation, depth+1)
		}
	}
	return v
}

// decryptStream decrypts a stream's data, unless a filter or its kind says that they are not encrypted.
func (f *File) decryptStream(s *Stream, filters []Name, parms []Dict) []byte {
	c := f.crypt
	if c == nil || s.plain || s.number == 0 {
		return s.data
	}
	if s.Dict["Type"] == Name("Metadata") && !c.metadata {
		return s.data
	}
	for i, filter := range filters {
		if filter == "Crypt" && (parms[i]["Name"] == nil || parms[i]["Name"] == Name("Identity")) {
			return s.data
		}
	}
	return c.decrypt(c.streams, s.data, s.number, s.generation)
}
