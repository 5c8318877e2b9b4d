/** Formats events as Server-Sent Events. */

/** JSON has no line breaks, so an event is one line of data. */
export const frameOf = (event: Readonly<{ name: string; id?: string; data: object }>): string =>
  `event: ${event.name}\n${event.id === undefined ? '' : `id: ${event.id}\n`}data: ${JSON.stringify(event.data)}\n\n`

/** How long a browser waits before it connects again. */
export const retryFrame = 'retry: 3000\n'
