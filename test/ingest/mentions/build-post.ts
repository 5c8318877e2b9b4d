import { toBase58 } from '../../../infra/base58.ts'
import type { PostContent } from '../../../schemas/chats/facts.ts'

export const postedAtMs = 1_700_000_000_000

export const buildContent = (content: Partial<PostContent> = {}): PostContent => ({
  chat: '-100',
  post: 1,
  chatName: 'calls',
  poster: '7',
  posterName: null,
  postedAtMs,
  text: '',
  entities: [],
  buttons: [],
  replyTo: null,
  origin: null,
  isLate: false,
  ...content,
})

/** Returns links that are attached to words, as in most cards. */
export const linksTo = (...urls: readonly string[]): PostContent['entities'] =>
  urls.map((url) => ({ offset: 0, length: 1, url }))

/** Returns the address of 32 bytes that are not a well-known address. */
export const mintOf = (name: number): string =>
  toBase58(
    Buffer.alloc(32, 1)
      .fill(name & 0xff, 8)
      .fill(name >> 8, 20, 24),
  )
export const evmOf = (name: number): string => `0x${(0xabcdef000000 + name).toString(16).padStart(40, 'a')}`
