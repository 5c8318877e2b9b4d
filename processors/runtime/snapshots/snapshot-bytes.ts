/** Converts the state of a walk (the processor states of all tokens of a task) to chunks of bytes, and back. */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { deserialize } from 'node:v8'
import type { Tick } from '../../../schemas/tick.ts'
import { stateBytesOf } from '../state-packer.ts'
import type { WalkSnapshot } from '../walk.ts'
import { PartWriter, tokensOf } from './snapshot-part.ts'

export const chunkBytesMax = 256 * 1024

/**
 * The number of tokens that are serialised together. Each group blocks the event loop for only about a
 * millisecond.
 */
const tokensPerPart = 64

/**
 * The data before the token states in a snapshot. If no states are compressed, only the tick is stored. Older
 * versions of the service can then read the snapshot too.
 */
type Head = Pick<WalkSnapshot, 'lastTick' | 'dictionary'>

/**
 * Serialises the states in parts, so that other tasks can run between two parts. The walk that made the
 * snapshot must not continue until the promise resolves.
 */
export async function toChunks({ lastTick, dictionary, tokens }: WalkSnapshot): Promise<readonly Buffer[]> {
  const chunks = new ChunkFiller()
  chunks.addFrame(stateBytesOf(dictionary === null ? lastTick : ({ lastTick, dictionary } satisfies Head)))
  const writer = new PartWriter()
  for (const token of tokens) {
    if (writer.add(token) < tokensPerPart) continue
    chunks.addFrame(writer.take())
    await nextTurn()
  }
  chunks.addFrame(writer.take())
  return chunks.close()
}

/**
 * Reads a snapshot from its chunks. The caller must check the hash of the chunks first. Throws an error of
 * the deserialiser if the bytes are not a snapshot.
 */
export function fromChunks(chunks: readonly Buffer[]): WalkSnapshot {
  const bytes = Buffer.concat(chunks)
  const [first, ...parts] = unframe(bytes)
  const head = deserialize(first as Buffer) as Head | Tick
  return {
    ...('lastTick' in head ? head : { lastTick: head, dictionary: null }),
    tokens: parts.flatMap((part) => tokensOf(deserialize(part))),
  }
}

export function hashOf(chunks: readonly Buffer[]): string {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

/**
 * Writes parts (byte arrays) into chunks of `chunkBytesMax` bytes. Before each part, its length is written.
 * Each part is copied only one time, because the parts are not joined before they are divided into chunks.
 */
class ChunkFiller {
  readonly #full: Buffer[] = []
  #open = Buffer.allocUnsafeSlow(chunkBytesMax)
  #filled = 0

  addFrame(bytes: Buffer): void {
    const length = Buffer.allocUnsafe(4)
    length.writeUInt32BE(bytes.length)
    this.#add(length)
    this.#add(bytes)
  }

  close(): readonly Buffer[] {
    return [...this.#full, this.#open.subarray(0, this.#filled)]
  }

  #add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#filled === chunkBytesMax) {
        this.#full.push(this.#open)
        this.#open = Buffer.allocUnsafeSlow(chunkBytesMax)
        this.#filled = 0
      }
      const copied = bytes.copy(this.#open, this.#filled, at)
      this.#filled += copied
      at += copied
    }
  }
}

function unframe(bytes: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = at + 4 + bytes.readUInt32BE(at)
    parts.push(bytes.subarray(at + 4, end))
    at = end
  }
  return parts
}
