/** The largest payload of a frame in bytes: what a three-byte VarInt can say. */
export const MAX_FRAME_LEN = 2_097_151;
/** The longest length prefix of a frame in bytes. */
export const MAX_FRAME_HEADER_LEN = 3;
/** The limit of a string, in UTF-16 code units, where the caller names none. */
export const MAX_STRING_UNITS = 32_767;
