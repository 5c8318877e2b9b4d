/** Bytes with a `DataView` of them. A `DataView` reads numbers without a call into native code. */
export type ViewedBytes = Readonly<{ bytes: Buffer; view: DataView }>

export const viewed = (bytes: Buffer): ViewedBytes => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
})
