/** Formats events as Server-Sent Events. */

/** Formats one event. JSON has no line breaks, so the data of an event is one line. */
export const frameOf = (event: Readonly<{ name: string; id?: string; data: object }>): string =>
  `event: ${event.name}\n${event.id === undefined ? '' : `id: ${event.id}\n`}data: ${JSON.stringify(event.data)}\n\n`

/** Makes a browser wait 3 s before it connects again. */
export const retryFrame = 'retry: 3000\n'
