/**
 * Lets a command finish when nobody reads its output any more, as in `launch-data topics | head -1`. The rest of the output
 * is lost. Without this, Node ends the process in the middle of its work.
 */
export function outliveReaders(streams: readonly NodeJS.WritableStream[]): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
}
