/** A closed trade of the paper desk (simulated trading) in answers. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { DeskTradeRow } from '../../projections/desk/queries/track-record.ts'
import { books, deskExits } from '../../schemas/desk/derived.ts'
import { keepPresented } from '../kept-json.ts'
import { publishedFields } from '../published.ts'
import { fieldsOf } from '../resource.ts'
import { epochMs } from '../values.ts'
import type { DeskPart } from './parts.ts'

type TradeOf = Readonly<{ part: Pick<DeskPart, 'chainName' | 'idLetter'>; trade: DeskTradeRow }> &
  Pick<DeskTradeRow, 'knownAtMs' | 'publishedAtMs'>

const { outcome, resource } = fieldsOf<TradeOf>()

/** The names of exit reasons in answers, such as `take-profit`. In records this reason is `take_profit`. */
const exits = deskExits.map((exit) => exit.replace('_', '-'))

const idOf = ({ part: { idLetter }, trade: { token, lane, openedAtMs } }: TradeOf): string =>
  createHash('sha1').update(`${idLetter}:${token}:${lane}:${openedAtMs}`).digest('hex').slice(0, 16)

const book = z.enum(books)

export const deskTrade = resource('deskTrade', {
  id: outcome(
    z.string().regex(/^[0-9a-f]{16}$/),
    'Stable row id: first 16 hex of sha1 over chain:token:lane:openedAt, chain as `a` or `b`.',
    idOf,
  ),
  book: outcome(book, 'main: what the desk stands for; explore: what it tries.', ({ trade }) => book.parse(trade.book)),
  mode: outcome(z.literal('paper'), 'Simulated fills at prices of the chain, no real money.', () => 'paper' as const),
  desk: outcome(z.string(), 'Which chain’s desk: `desk-a` or `desk-b`.', ({ part }) => `desk-${part.idLetter}`),
  lane: outcome(z.string(), 'The strategy; `method.lanes` says what it does.', ({ trade }) => trade.lane),
  chain: outcome(z.string(), 'Name of the chain.', ({ part }) => part.chainName),
  token: outcome(z.string(), 'Token address or mint.', ({ trade }) => trade.token),
  openedAt: outcome(epochMs, 'The fill, epoch ms.', ({ trade }) => trade.openedAtMs),
  closedAt: outcome(epochMs, 'The exit, epoch ms.', ({ trade }) => trade.closedAtMs),
  ret: outcome(z.number(), 'Return on cost, all fees deducted; a rug is -1 less the fees.', ({ trade }) => trade.ret),
  peakRet: outcome(z.number(), 'The best it stood at, likewise; not attainable.', ({ trade }) => trade.peakRet),
  exit: outcome(z.enum(exits), 'Why it was closed.', ({ trade }) => trade.exit.replace('_', '-')),
  ...publishedFields('the closing', 'signal+30m'),
})

/** Presents a trade for the list of the API. The result must not be changed. */
export const presentTrade = keepPresented((trade: DeskTradeRow, part: TradeOf['part']) =>
  deskTrade.present({ ...trade, part, trade }),
)
