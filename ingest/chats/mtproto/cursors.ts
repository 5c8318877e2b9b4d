/**
 * Stores the read position of each channel. A position is written only after the changes before it are
 * recorded, so it is never ahead of the recorded facts. If a position is lost, the reader misses edits and
 * deletions, but no post.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { readPrivate, writePrivate } from './private-file.ts'

const shape = z.record(
  z.string(),
  z.object({
    chat: z.string(),
    chatName: z.string().nullable(),
    channelId: z.number(),
    accessHash: z.string(),
    pts: z.number().int().positive(),
  }),
)

/** The read positions. The keys are the names of the chats in the configuration. */
export type ChannelCursors = Readonly<z.output<typeof shape>>
export type ChannelCursor = ChannelCursors[string]

export type CursorFile = Readonly<{ read(): Promise<ChannelCursors>; write(positions: ChannelCursors): Promise<void> }>

export function cursorsIn(dataDir: string): CursorFile {
  const file = join(dataDir, 'chats', 'positions.json')
  return {
    async read() {
      const text = await readPrivate(file)
      return text === null ? {} : parsed(text)
    },
    write: (positions) => writePrivate(file, `${JSON.stringify(positions, null, 1)}\n`),
  }
}

/** Parses the file with the read positions. An invalid file counts as empty. */
function parsed(text: string): ChannelCursors {
  try {
    return shape.parse(JSON.parse(text))
  } catch {
    return {}
  }
}
