/** A progress line on a terminal. It shows nothing in a pipe, where the log reports progress. */
export type ProgressLine = Readonly<{ show(text: string): void; end(): void }>

const redrawMs = 200

export function createProgressLine(stream: NodeJS.WriteStream, nowMs: () => number): ProgressLine {
  let shownAtMs = 0
  let isShown = false
  return {
    show(text) {
      if (!stream.isTTY || nowMs() - shownAtMs < redrawMs) return
      shownAtMs = nowMs()
      isShown = true
      stream.write(`\r\u001b[2K${text.slice(0, Math.max(20, stream.columns - 1))}`)
    },
    end() {
      if (isShown) stream.write('\r\u001b[2K')
      isShown = false
    },
  }
}
