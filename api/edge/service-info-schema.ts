/** The schemas of the routes about the service and its health. */
import { z } from 'zod'
import { described } from '../resource.ts'
import { gapCountsSchema } from '../trade-gaps.ts'
import { count, epochMs } from '../values.ts'

const now = <Schema extends z.ZodType>(schema: Schema, description: string): Schema =>
  described('now', schema, description)

const param = z.object({
  name: z.string(),
  in: z.enum(['path', 'query']),
  type: z.enum(['number', 'string']),
  description: z.string(),
  pattern: z.string().optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  values: z.array(z.string()).optional(),
  default: z.union([z.number(), z.string()]).optional(),
})

const endpoint = z.object({
  route: now(z.string(), 'Method and path; the path without `/v1` answers the same.'),
  url: now(
    z.string().nullable(),
    'A URL of the route. Without a payment it answers 402. A token, pool, wallet or mint in its path is one that the service tracks now; null while it tracks none.',
  ),
  price: now(z.number().positive(), 'USD a call.'),
  description: now(z.string(), 'What is sold.'),
  params: now(z.array(param), 'Every parameter with its bounds and its default.'),
})

const payments = z.object({
  protocol: now(z.literal('x402'), 'How calls are paid.'),
  version: now(z.int(), 'Version of the protocol.'),
  scheme: now(z.string(), 'Scheme of a payment.'),
  isLive: now(z.boolean(), 'Whether payments are taken at the moment.'),
  networks: now(
    z.array(
      z.object({
        ...{ network: z.string(), asset: z.string(), payTo: z.string(), isLocal: z.boolean() },
        localRpcUrl: z.string().nullable(),
      }),
    ),
    'The networks on which payments are taken. `isLocal`: the money is worthless, and `localRpcUrl` is the node of the chain.',
  ),
})

const source = now(z.string().nullable(), '`chain`, or `simulated` if one chain is simulated; null without data.')
const notice = now(z.string().optional(), 'Only if one chain is simulated: says that no market here is real.')

export const infoSchema = z.object({
  service: now(z.string(), 'Name of the service.'),
  about: now(z.string(), 'Description of the service.'),
  source,
  notice,
  payments: now(payments, 'How to pay.'),
  endpoints: now(z.array(endpoint), 'The paid routes.'),
  free: now(z.array(z.string()), 'The free routes.'),
  data: now(
    z.object({
      generatedAt: now(epochMs.nullable(), 'Newest instant of the chain whose data is the oldest; null without data.'),
      ageSec: now(count.nullable(), 'Age of its newest block.'),
      coinPriceAgeSec: now(count.nullable(), 'Age of the price of its coin.'),
      bursts24h: now(count, 'Bursts of the last 24 h, of all chains.'),
      poolsTracked: now(count, 'Pools that can be asked about.'),
    }),
    'How much there is, and how fresh.',
  ),
})

const health = {
  status: now(z.enum(['ok', 'warming_up', 'stale']), '`stale`: older than two minutes; `warming_up`: no data yet.'),
  dataAgeSec: now(count.nullable(), 'Age of the newest block; null without data.'),
  generatedAt: now(epochMs.optional(), 'The newest instant, epoch ms.'),
}

const readPosts = {
  posts: now(count, 'Posts of the bots in the last 24 h that are cards, or answers that name a token.'),
  unread: now(count, 'Those of these posts of which nothing could be parsed.'),
  unreadShare: now(z.number().min(0).max(1).nullable(), '`unread` / `posts`; null without posts.'),
}

const cards = now(
  z
    .object({
      ...readPosts,
      bots: now(z.array(z.object({ bot: now(z.string(), 'Its name.'), ...readPosts })), 'Each bot.'),
    })
    .optional(),
  'Only for chats: how many posts of known scanner bots could not be parsed. The share rises when a bot changes its layout.',
)

export const healthSchema = z.object({
  ...health,
  source: source.optional(),
  notice,
  clock: now(
    z.array(z.object({ network: z.string(), aheadSec: z.int() })).optional(),
    'Only if this clock and a payment chain disagree: the chain is `aheadSec` ahead (30 or more) or behind (below -90), and payments may be refused.',
  ),
  chains: now(
    z.record(
      z.string(),
      z.object({
        ...health,
        block: now(count.optional(), 'Number of its newest block.'),
        gaps24h: gapCountsSchema.optional(),
        cards,
      }),
    ),
    'Each chain by its name in answers.',
  ),
})
