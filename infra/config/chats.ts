/** The variables of the chats. */
import { z } from 'zod'
import { sourceConfig } from './source-config.ts'
import { listOf, url, whole } from './values.ts'

/** A chat: `@name` of a public chat, or the numeric id of any chat. */
const chatChannel = z
  .string()
  .regex(
    /^(?:@[A-Za-z][A-Za-z0-9_]{3,31}|-?\d{5,16})$/,
    'must be names such as @name or numeric ids, separated by commas',
  )

export const chatsConfig = sourceConfig({
  variables: {
    CHAT_CHANNELS: listOf(chatChannel).optional(),
    CHAT_API_ID: whole(1, 2 ** 31 - 1).optional(),
    CHAT_API_HASH: z
      .string()
      .regex(/^[0-9a-f]{32}$/, 'must be 32 hex digits in lower case')
      .optional(),
    CHAT_PREVIEW_URL: url(/^https?$/)
      .transform((base) => base.replace(/\/+$/, ''))
      .default('https://t.me'),
  },
  together: [
    { given: 'CHAT_API_ID', needed: ['CHAT_API_HASH'] },
    { given: 'CHAT_API_HASH', needed: ['CHAT_API_ID'] },
  ],
  isMarket: false,
  isConfigured: ({ CHAT_CHANNELS }) => CHAT_CHANNELS !== undefined,
})
