/** Converts the state of a walk (the processor states of all tokens of a task) to chunks of bytes, and back. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { deserialize } from 'node:v8'
import type { Tick } from '../../../schemas/tick.ts'
import { stateBytesOf } from '../state-packer.ts'
import type { WalkSnapshot } from '../token-entry.ts'
import { type OlderPart, tokensOfOlder } from './older-part.ts'
import { PartWriter, tokensOf } from './snapshot-part.ts'

export const chunkBytesMax = 256 * 1024

/** The number of tokens in a part. Writing a part blocks the event loop for only about a millisecond. */
const tokensPerPart = 64

/** The number of bytes that hold the length of a frame. */
const lengthBytes = 4

/** The data before the token states in a snapshot. */
type Head = Pick<WalkSnapshot, 'lastTick' | 'dictionary'> & Readonly<{ hasGroups: true }>

/** The same in snapshots of older versions. If no states were compressed, they stored only the tick. */
type OlderHead = Omit<Head, 'hasGroups'> | Tick

/**
 * Serialises the states in parts, so that other tasks can run between two parts. The walk that made the
 * snapshot must not continue until the promise resolves.
 */
export async function toChunks({ lastTick, dictionary, tokens }: WalkSnapshot): Promise<readonly Buffer[]> {
  const chunks = new ChunkFiller()
  chunks.addFrame([stateBytesOf({ lastTick, dictionary, hasGroups: true } satisfies Head)])
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
 * Reads a snapshot from its chunks. The caller must check the hash of the chunks first. Throws an error if the bytes are
 * not a snapshot.
 */
export function fromChunks(chunks: readonly Buffer[]): WalkSnapshot {
  const [first, ...parts] = unframe(chunks)
  const head = deserialize(first as Buffer) as Head | OlderHead
  const { lastTick, dictionary } = 'lastTick' in head ? head : { lastTick: head, dictionary: null }
  const tokensIn = 'hasGroups' in head ? tokensOf : (part: Buffer) => tokensOfOlder(deserialize(part) as OlderPart)
  return { lastTick, dictionary, tokens: parts.flatMap(tokensIn) }
}

export function hashOf(chunks: readonly Buffer[]): string {
  const hash = createHash('sha256')
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest('hex')
}

/**
 * Writes frames into chunks of `chunkBytesMax` bytes. Before each frame, its length is written. The pieces of a frame are
 * copied only one time, because they are not joined before they are divided into chunks.
 */
class ChunkFiller {
  readonly #full: Buffer[] = []
  #open = Buffer.allocUnsafeSlow(chunkBytesMax)
  #filled = 0

  addFrame(pieces: readonly Uint8Array[]): void {
    const length = Buffer.allocUnsafe(lengthBytes)
    length.writeUInt32BE(pieces.reduce((sum, piece) => sum + piece.length, 0))
    this.#add(length)
    for (const piece of pieces) this.#add(piece)
  }

  close(): readonly Buffer[] {
    return [...this.#full, this.#open.subarray(0, this.#filled)]
  }

  #add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#filled === chunkBytesMax) {
        this.#full.push(this.#open)
        this.#open = Buffer.allocUnsafeSlow(chunkBytesMax)
        this.#filled = 0
      }
      const copied = bytes.subarray(at, at + chunkBytesMax - this.#filled)
      this.#open.set(copied, this.#filled)
      this.#filled += copied.length
      at += copied.length
    }
  }
}

/** Returns the frames of the chunks. Only a frame that is in several chunks is copied. */
function unframe(chunks: readonly Buffer[]): Buffer[] {
  const size = chunks.reduce((sum, { length }) => sum + length, 0)
  const frames: Buffer[] = []
  let [chunk, at] = [0, 0]
  const take = (length: number): Buffer => {
    const pieces: Buffer[] = []
    for (let missing = length; missing > 0; ) {
      const bytes = chunks[chunk]
      assert(bytes, 'a snapshot ends inside a frame')
      const piece = bytes.subarray(at, at + missing)
      pieces.push(piece)
      missing -= piece.length
      at += piece.length
      if (at === bytes.length) [chunk, at] = [chunk + 1, 0]
    }
    return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)
  }
  for (let taken = 0; taken < size; ) {
    const frame = take(take(lengthBytes).readUInt32BE(0))
    taken += lengthBytes + frame.length
    frames.push(frame)
  }
  return frames
}
