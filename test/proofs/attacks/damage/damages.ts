/** The possible damages of a file. */
import { closeSync, openSync, readSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import type { Random } from '../../../../ingest/simulated/random.ts'

const pageBytes = 4_096

export const damages: Readonly<Record<string, (file: string, random: Random) => void>> = {
  'has one flipped bit': (file, random) => flip(file, { count: 1, random }),
  'has 200 flipped bits': (file, random) => flip(file, { count: 200, random }),
  'is cut': (file, random) => truncateSync(file, random.whole(0, statSync(file).size - 1)),
  'begins with zeros': (file) => zero(file, 0, 2 * pageBytes),
  'has a page of zeros': (file, random) =>
    zero(file, random.whole(0, Math.floor((statSync(file).size - 1) / pageBytes)) * pageBytes, pageBytes),
  'is gone': (file) => rmSync(file),
}

function flip(file: string, { count, random }: Readonly<{ count: number; random: Random }>): void {
  const { size } = statSync(file)
  change(file, (descriptor) => {
    const byte = Buffer.alloc(1)
    for (let bit = 0; bit < count; bit++) {
      const at = random.whole(0, size - 1)
      readSync(descriptor, byte, 0, 1, at)
      byte[0] = (byte[0] ?? 0) ^ (1 << random.whole(0, 7))
      writeSync(descriptor, byte, 0, 1, at)
    }
  })
}

function zero(file: string, at: number, bytes: number): void {
  const length = Math.min(bytes, statSync(file).size - at)
  change(file, (descriptor) => void writeSync(descriptor, Buffer.alloc(length), 0, length, at))
}

function change(file: string, make: (descriptor: number) => void): void {
  const descriptor = openSync(file, 'r+')
  try {
    make(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
