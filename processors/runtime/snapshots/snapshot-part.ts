/** Converts the states of some tokens to a part of a snapshot, and back. */
import { deserialize } from 'node:v8'
import { bytesOfGroup, type StatesGroup, stateBytesOf } from '../state-packer.ts'
import type { TokenSnapshot } from '../token-entry.ts'

/**
 * About the length of a group, in bytes. The states of a token are serialized alone if they are as long. Each group costs
 * about 6 µs apart from its bytes, which is more than small states need.
 */
const groupBytes = 4096
const tokensPerGroupMax = 64

/**
 * What is in front of the groups of a part. It has lists with one element for each token, because an object for each token
 * takes longer to serialize.
 */
type PartHead = {
  readonly tokens: string[]
  readonly touchedBlocks: number[]
  /** The timers of all tokens one after the other, and the number of timers of each token. */
  readonly timers: number[]
  readonly timerCounts: number[]
  /** The index of the token's group, and the place of its states in the group. -1 if it has no group. */
  readonly groups: number[]
  readonly places: number[]
  /** What tokens with packed states have instead of a group. Null for the others. */
  readonly packed: (Pick<TokenSnapshot, 'packed' | 'states'> | null)[]
  /** The length of each group, in bytes. */
  readonly groupLengths: number[]
}

const noHead = (): PartHead => ({
  ...{ tokens: [], touchedBlocks: [], timers: [], timerCounts: [] },
  ...{ groups: [], places: [], packed: [], groupLengths: [] },
})

const noStates: readonly unknown[] = []
/** The number of bytes that hold the length of the head. */
const lengthBytes = 4
/** A timer is two numbers, see `TokenSnapshot`. */
const numbersPerTimer = 2

/** Collects tokens, and writes them as one part. */
export class PartWriter {
  #head = noHead()
  #groups: Uint8Array[] = []
  /** The indexes of the groups that were in a snapshot before and are written again as they are. */
  readonly #unopened = new Map<StatesGroup, number>()
  /** The states of the group that is collected. */
  #states: (readonly unknown[])[] = []
  #tokensPerGroup = 1

  /** Adds a token, and returns the number of tokens that the part has now. */
  add({ token, states, packed, serialized, timers, touchedBlock }: TokenSnapshot): number {
    const head = this.#head
    head.touchedBlocks.push(touchedBlock)
    for (const value of timers) head.timers.push(value)
    head.timerCounts.push(timers.length / numbersPerTimer)
    head.packed.push(packed === null ? null : { packed, states })
    if (serialized !== null) this.#place(this.#indexOf(serialized), serialized.tokens.indexOf(token))
    else if (packed !== null) this.#place(-1, -1)
    else {
      this.#place(this.#groups.length, this.#states.push(states) - 1)
      if (this.#states.length >= this.#tokensPerGroup) this.#closeGroup()
    }
    return head.tokens.push(token)
  }

  /** Returns the part as a list of byte arrays, and begins the next one. */
  take(): readonly Uint8Array[] {
    if (this.#states.length > 0) this.#closeGroup()
    for (const group of this.#groups) this.#head.groupLengths.push(group.length)
    const head = stateBytesOf(this.#head)
    const length = Buffer.allocUnsafe(lengthBytes)
    length.writeUInt32BE(head.length)
    const pieces = [length, head, ...this.#groups]
    this.#head = noHead()
    this.#groups = []
    this.#unopened.clear()
    return pieces
  }

  #place(group: number, place: number): void {
    this.#head.groups.push(group)
    this.#head.places.push(place)
  }

  /** Returns the index of a group that is written again as it is. */
  #indexOf(serialized: StatesGroup): number {
    if (this.#states.length > 0) this.#closeGroup()
    const group = this.#unopened.get(serialized) ?? this.#groups.push(serialized.bytes) - 1
    this.#unopened.set(serialized, group)
    return group
  }

  #closeGroup(): void {
    const bytes = bytesOfGroup(this.#states)
    const bytesPerToken = bytes.length / this.#states.length
    this.#tokensPerGroup = Math.max(1, Math.min(tokensPerGroupMax, Math.round(groupBytes / bytesPerToken)))
    this.#groups.push(bytes)
    this.#states = []
  }
}

/** Returns the tokens of a part. Each group gets memory of its own, which is freed once its states are objects. */
export function tokensOf(part: Buffer): readonly TokenSnapshot[] {
  const headEnd = lengthBytes + part.readUInt32BE(0)
  const head = deserialize(part.subarray(lengthBytes, headEnd)) as PartHead
  let end = headEnd
  const groups = head.groupLengths.map((length) => {
    end += length
    return { bytes: new Uint8Array(part.subarray(end - length, end)), tokens: [] as string[] }
  })
  let timersEnd = 0
  return head.tokens.map((token, index) => {
    const from = timersEnd
    timersEnd += numbersPerTimer * (head.timerCounts[index] as number)
    const { packed = null, states = noStates } = head.packed[index] ?? {}
    const serialized = groups[head.groups[index] as number] ?? null
    if (serialized !== null) serialized.tokens[head.places[index] as number] = token
    const [timers, touchedBlock] = [head.timers.slice(from, timersEnd), head.touchedBlocks[index] as number]
    return { token, states, packed, serialized, timers, touchedBlock }
  })
}
