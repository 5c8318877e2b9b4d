/** A caller on the leaderboard. */
import { z } from 'zod'
import { chatIdOf, chatNameOf } from '../../../infra/public-ids.ts'
import {
  type CallerRow,
  type CallerValues,
  medianNames,
  rateNames,
} from '../../../projections/calls/queries/calls-queries.ts'
import { fieldsOf } from '../../resource.ts'
import { count, epochMs, share } from '../../values.ts'
import { chatNameSchema, hashedIdSchema } from './identifiers.ts'

/**
 * `callerId`: the keyed hash of the caller. Callers with equal values and equal numbers of calls are sorted
 * by this hash.
 */
export type RankedCaller = CallerRow & Readonly<{ rank: number; callerId: string }>

const value = z.number().nullable()
const interval = z.tuple([share, share])

const ratesSchema = { hit15: share.nullable(), win35: share.nullable(), x2: share.nullable(), rug: share.nullable() }
const mediansSchema = { ret1: value, ret5: value, ret15: value, ret60: value, mfe: value, mae: value }

/** The values of a caller by name: first the rates, then the medians. */
export const callerValuesSchema = z.strictObject({ ...ratesSchema, ...mediansSchema })

const picked = <Name extends keyof CallerValues>(names: readonly Name[], values: CallerValues) =>
  Object.fromEntries(names.map((name) => [name, values[name]])) as Record<Name, number | null>

/** Returns the rates and then the medians, in the order of `rateNames` and `medianNames`. */
export const callerValuesOf = (values: CallerValues): z.output<typeof callerValuesSchema> => ({
  ...picked(rateNames, values),
  ...picked(medianNames, values),
})

const { now, resource } = fieldsOf<RankedCaller, Readonly<{ callerIdSecret: string }>>()

export const callerRow = resource('callerRow', {
  rank: now(z.int().min(1), 'Place by `sort`; ties by more calls, then by callerId.', ({ rank }) => rank),
  callerId: now(hashedIdSchema, 'Keyed hash of the poster in the chat.', ({ callerId }) => callerId),
  chatId: now(hashedIdSchema, 'Keyed hash of the chat.', ({ chat }, { callerIdSecret }) =>
    chatIdOf(chat, callerIdSecret),
  ),
  chat: now(chatNameSchema.nullable(), 'Public name of the chat; null: it is private.', ({ chatName }) =>
    chatName === null ? null : chatNameOf(chatName),
  ),
  n: now(
    count,
    'Tokens that the caller called in the window and that could be scored; each counts once.',
    ({ n }) => n,
  ),
  weight: now(
    z.number().positive(),
    'What these calls weigh together: the w of `method.shrink`. Less than n where posts name many tokens.',
    ({ weight }) => weight,
  ),
  gapCalls: now(
    count,
    'Of the n calls, those in whose hour trades of the token are known to be missing; they count like all others.',
    ({ gapCalls }) => gapCalls,
  ),
  hit15: now(share.nullable(), 'Share that rose 15% or more within 60 minutes, shrunk.', (row) => row.shrunk.hit15),
  win35: now(
    share.nullable(),
    'Share that reached +35% before -20% within 60 minutes, shrunk.',
    (row) => row.shrunk.win35,
  ),
  x2: now(share.nullable(), 'Share that rose 100% or more within 60 minutes, shrunk.', (row) => row.shrunk.x2),
  rug: now(share.nullable(), 'Share that fell 80% or more within 60 minutes, shrunk.', (row) => row.shrunk.rug),
  median: now(
    z.strictObject(mediansSchema),
    'Median returns after 1, 5, 15 and 60 minutes and median highest and lowest move within 60 minutes, shrunk.',
    (row) => picked(medianNames, row.shrunk),
  ),
  interval90: now(
    z.strictObject({ hit15: interval, win35: interval, x2: interval, rug: interval }),
    'Between which bounds the true rate lies with 90%.',
    ({ intervalOf }) => {
      const bounds = (rate: (typeof rateNames)[number]): [number, number] => {
        const [low, high] = intervalOf(rate)
        return [low, high]
      }
      return { hit15: bounds('hit15'), win35: bounds('win35'), x2: bounds('x2'), rug: bounds('rug') }
    },
  ),
  raw: now(callerValuesSchema, 'The same values before they are shrunk.', ({ raw }) => callerValuesOf(raw)),
  lastCallAt: now(epochMs, 'Time of the newest post that counts.', ({ lastCallAtMs }) => lastCallAtMs),
})
