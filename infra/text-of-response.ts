/**
 * Returns the text of a response. Null if the text is larger than `bytesMax`. In that case, the rest of the
 * response is not read.
 */
export async function textOfResponse({ body }: Response, bytesMax: number): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.length
    if (size > bytesMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
