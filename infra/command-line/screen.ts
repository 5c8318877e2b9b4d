/** The screen of the running programs for a person at a terminal, as lines of text. */
import type { ProgramName, Progress } from '../program.ts'

export type Screen = Readonly<{
  title: string
  /** An important notice, such as that the data is simulated. Null if there is none. */
  notice: string | null
  /** Where the answers, the payments, the log and the tables are. Each entry is a label and a text. */
  places: readonly (readonly [label: string, text: string])[]
  /** The progress of each program in each stage (one chain or the chats), in any order. */
  progress: ReadonlyMap<string, Progress>
  /** The newest bursts as text, oldest first. Null if this program shows no bursts. */
  headlines: readonly string[] | null
  /** Commands to try next. */
  hints: readonly string[]
}>

export type Size = Readonly<{ columns: number; rows: number }>

/** The programs in the order in which data flows. */
const programOrder: readonly ProgramName[] = ['ingest', 'process', 'project']
const labelWidth = 10
const stageWidth = 10
const stateWidth = 10
const headlinesMax = 8

/**
 * The lines of the screen, cut to the width of the terminal. If the terminal has few rows, there are fewer headlines.
 * The result has no line break at its end.
 */
export function screenLines(screen: Screen, { columns, rows }: Size): readonly string[] {
  const { title, notice, places, headlines, hints } = screen
  const head = [title, ...(notice === null ? [] : [notice])]
  const parts = [head, places.map(([label, text]) => labelled(label, text)), progressLines(screen), hintLines(hints)]
  const above = withGaps(parts.slice(0, 3))
  const below = withGaps(parts.slice(3))
  const room = rows - 1 - above.length - below.length - 3
  const middle = headlines === null ? [] : headlineLines(headlines, Math.min(headlinesMax, room))
  return withGaps([above, middle, below]).map((line) => cut(line, columns))
}

function progressLines({ progress }: Screen): readonly string[] {
  const all = [...progress.values()].sort((left, right) => (left.stage < right.stage ? -1 : 1))
  return programOrder.flatMap((program) =>
    all
      .filter((its) => its.program === program)
      .map(({ stage, state, text }) => labelled(program, stage.padEnd(stageWidth) + state.padEnd(stateWidth) + text)),
  )
}

function headlineLines(headlines: readonly string[], room: number): readonly string[] {
  if (room < 1) return []
  const newest = headlines.slice(-room)
  return ['Newest bursts', ...(newest.length > 0 ? newest.map(indented) : [indented('none yet')])]
}

const hintLines = (hints: readonly string[]): readonly string[] =>
  hints.length === 0 ? [] : ['Try in another terminal', ...hints.map(indented)]

const labelled = (label: string, text: string): string => indented(label.padEnd(labelWidth) + text)
const indented = (text: string): string => `  ${text}`

/** Joins the parts that are not empty, with an empty line between two parts. */
const withGaps = (parts: readonly (readonly string[])[]): readonly string[] =>
  parts.filter((part) => part.length > 0).flatMap((part, index) => (index === 0 ? part : ['', ...part]))

const cut = (line: string, columns: number): string =>
  line.length <= columns ? line : `${line.slice(0, columns - 1)}…`
