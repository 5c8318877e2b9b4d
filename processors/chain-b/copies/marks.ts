/**
 * The paths of the open copies: prices at fixed marks after each buy. Copies are in the order of their buys, so each mark is
 * taken in this order too, and one index per mark says how far it is.
 */
import { shadowRules } from '../../../schemas/chain-b/copy-rules.ts'
import type { Copy } from './copy.ts'

const marksMs = shadowRules.pathSec.map((sec) => sec * 1000)

/** `from`: for each mark, the index of the first copy that lacks it. `nextMs`: the first instant of them. */
export type Marks = { readonly from: number[]; nextMs: number }

export const noMarks = (): Marks => ({ from: marksMs.map(() => 0), nextMs: Number.POSITIVE_INFINITY })

export function addMarks(marks: Marks, { opened }: Copy): void {
  marks.nextMs = Math.min(marks.nextMs, opened.atMs + (marksMs[0] ?? 0))
}

/** The price was `px` at all marks before the instant that are not taken. */
export function takeMarks(marks: Marks, copies: readonly Copy[], { px, beforeMs }: MarkedPrice): void {
  let nextMs = Number.POSITIVE_INFINITY
  for (const [mark, afterMs] of marksMs.entries()) {
    let index = marks.from[mark] ?? 0
    for (; index < copies.length; index++) {
      const copy = copies[index] as Copy
      const atMs = copy.opened.atMs + afterMs
      if (atMs >= beforeMs) {
        nextMs = Math.min(nextMs, atMs)
        break
      }
      copy.path.push(px / copy.opened.px - 1)
    }
    marks.from[mark] = index
  }
  marks.nextMs = nextMs
}

export type MarkedPrice = Readonly<{ px: number; beforeMs: number }>

/** Takes the marks that are left: the hour of the copy ends with the last one. */
export function endPath({ path, opened }: Copy, px: number): void {
  while (path.length < marksMs.length) path.push(px / opened.px - 1)
}

/** So many copies have left from the front. */
export function dropMarks(marks: Marks, count: number): void {
  for (const [mark, index] of marks.from.entries()) marks.from[mark] = Math.max(0, index - count)
}
