package mpacket

// The fixed-width writes of a Writer. Names without LE are big endian.

// WriteByte appends one byte. It always returns nil, as io.ByteWriter has it.
func (w *Writer) WriteByte(v byte) error {
	w.buf = append(w.buf, v)
	return nil
}

// WriteBool appends 1 for true and 0 for false.
func (w *Writer) WriteBool(v bool) { w.buf = AppendBool(w.buf, v) }

// WriteInt8 appends v as one byte.
func (w *Writer) WriteInt8(v int8) { w.buf = append(w.buf, byte(v)) }

// WriteUint8 appends v.
func (w *Writer) WriteUint8(v uint8) { w.buf = append(w.buf, v) }

// WriteAngle appends v as one byte.
func (w *Writer) WriteAngle(v Angle) { w.buf = append(w.buf, byte(v)) }

// WriteInt16 appends two bytes.
func (w *Writer) WriteInt16(v int16) { w.buf = AppendInt16(w.buf, v) }

// WriteUint16 appends two bytes.
func (w *Writer) WriteUint16(v uint16) { w.buf = AppendUint16(w.buf, v) }

// WriteInt32 appends four bytes.
func (w *Writer) WriteInt32(v int32) { w.buf = AppendInt32(w.buf, v) }

// WriteUint32 appends four bytes.
func (w *Writer) WriteUint32(v uint32) { w.buf = AppendUint32(w.buf, v) }

// WriteInt64 appends eight bytes.
func (w *Writer) WriteInt64(v int64) { w.buf = AppendInt64(w.buf, v) }

// WriteUint64 appends eight bytes.
func (w *Writer) WriteUint64(v uint64) { w.buf = AppendUint64(w.buf, v) }

// WriteFloat32 appends four bytes.
func (w *Writer) WriteFloat32(v float32) { w.buf = AppendFloat32(w.buf, v) }

// WriteFloat64 appends eight bytes.
func (w *Writer) WriteFloat64(v float64) { w.buf = AppendFloat64(w.buf, v) }

// WriteInt16LE appends two bytes, least significant first.
func (w *Writer) WriteInt16LE(v int16) { w.buf = AppendInt16LE(w.buf, v) }

// WriteUint16LE appends two bytes, least significant first.
func (w *Writer) WriteUint16LE(v uint16) { w.buf = AppendUint16LE(w.buf, v) }

// WriteInt32LE appends four bytes, least significant first.
func (w *Writer) WriteInt32LE(v int32) { w.buf = AppendInt32LE(w.buf, v) }

// WriteUint32LE appends four bytes, least significant first.
func (w *Writer) WriteUint32LE(v uint32) { w.buf = AppendUint32LE(w.buf, v) }

// WriteInt64LE appends eight bytes, least significant first.
func (w *Writer) WriteInt64LE(v int64) { w.buf = AppendInt64LE(w.buf, v) }

// WriteUint64LE appends eight bytes, least significant first.
func (w *Writer) WriteUint64LE(v uint64) { w.buf = AppendUint64LE(w.buf, v) }

// WriteFloat32LE appends four bytes, least significant first.
func (w *Writer) WriteFloat32LE(v float32) { w.buf = AppendFloat32LE(w.buf, v) }

// WriteFloat64LE appends eight bytes, least significant first.
func (w *Writer) WriteFloat64LE(v float64) { w.buf = AppendFloat64LE(w.buf, v) }
