package caddymodule

import (
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// laterFields collects fields, to add them to another encoder when an entry is written. It implements zapcore.ObjectEncoder.
type laterFields []zap.Field

// AddArray implements zapcore.ObjectEncoder.
func (l *laterFields) AddArray(key string, v zapcore.ArrayMarshaler) error {
	*l = append(*l, zap.Array(key, v))
	return nil
}

// AddObject implements zapcore.ObjectEncoder.
func (l *laterFields) AddObject(key string, v zapcore.ObjectMarshaler) error {
	*l = append(*l, zap.Object(key, v))
	return nil
}

// AddReflected implements zapcore.ObjectEncoder.
func (l *laterFields) AddReflected(key string, v any) error {
	*l = append(*l, zap.Reflect(key, v))
	return nil
}

// OpenNamespace implements zapcore.ObjectEncoder.
func (l *laterFields) OpenNamespace(key string) { *l = append(*l, zap.Namespace(key)) }

// AddBinary implements zapcore.ObjectEncoder.
func (l *laterFields) AddBinary(key string, v []byte) { *l = append(*l, zap.Binary(key, v)) }

// AddByteString implements zapcore.ObjectEncoder.
func (l *laterFields) AddByteString(key string, v []byte) { *l = append(*l, zap.ByteString(key, v)) }

// AddBool implements zapcore.ObjectEncoder.
func (l *laterFields) AddBool(key string, v bool) { *l = append(*l, zap.Bool(key, v)) }

// AddComplex128 implements zapcore.ObjectEncoder.
func (l *laterFields) AddComplex128(key string, v complex128) {
	*l = append(*l, zap.Complex128(key, v))
}

// AddComplex64 implements zapcore.ObjectEncoder.
func (l *laterFields) AddComplex64(key string, v complex64) { *l = append(*l, zap.Complex64(key, v)) }

// AddDuration implements zapcore.ObjectEncoder.
func (l *laterFields) AddDuration(key string, v time.Duration) { *l = append(*l, zap.Duration(key, v)) }

// AddFloat64 implements zapcore.ObjectEncoder.
func (l *laterFields) AddFloat64(key string, v float64) { *l = append(*l, zap.Float64(key, v)) }

// AddFloat32 implements zapcore.ObjectEncoder.
func (l *laterFields) AddFloat32(key string, v float32) { *l = append(*l, zap.Float32(key, v)) }

// AddInt implements zapcore.ObjectEncoder.
func (l *laterFields) AddInt(key string, v int) { *l = append(*l, zap.Int(key, v)) }

// AddInt64 implements zapcore.ObjectEncoder.
func (l *laterFields) AddInt64(key string, v int64) { *l = append(*l, zap.Int64(key, v)) }

// AddInt32 implements zapcore.ObjectEncoder.
func (l *laterFields) AddInt32(key string, v int32) { *l = append(*l, zap.Int32(key, v)) }

// AddInt16 implements zapcore.ObjectEncoder.
func (l *laterFields) AddInt16(key string, v int16) { *l = append(*l, zap.Int16(key, v)) }

// AddInt8 implements zapcore.ObjectEncoder.
func (l *laterFields) AddInt8(key string, v int8) { *l = append(*l, zap.Int8(key, v)) }

// AddString implements zapcore.ObjectEncoder.
func (l *laterFields) AddString(key string, v string) { *l = append(*l, zap.String(key, v)) }

// AddTime implements zapcore.ObjectEncoder.
func (l *laterFields) AddTime(key string, v time.Time) { *l = append(*l, zap.Time(key, v)) }

// AddUint implements zapcore.ObjectEncoder.
func (l *laterFields) AddUint(key string, v uint) { *l = append(*l, zap.Uint(key, v)) }

// AddUint64 implements zapcore.ObjectEncoder.
func (l *laterFields) AddUint64(key string, v uint64) { *l = append(*l, zap.Uint64(key, v)) }

// AddUint32 implements zapcore.ObjectEncoder.
func (l *laterFields) AddUint32(key string, v uint32) { *l = append(*l, zap.Uint32(key, v)) }

// AddUint16 implements zapcore.ObjectEncoder.
func (l *laterFields) AddUint16(key string, v uint16) { *l = append(*l, zap.Uint16(key, v)) }

// AddUint8 implements zapcore.ObjectEncoder.
func (l *laterFields) AddUint8(key string, v uint8) { *l = append(*l, zap.Uint8(key, v)) }

// AddUintptr implements zapcore.ObjectEncoder.
func (l *laterFields) AddUintptr(key string, v uintptr) { *l = append(*l, zap.Uintptr(key, v)) }

// Interface guards
var _ zapcore.ObjectEncoder = (*laterFields)(nil)
