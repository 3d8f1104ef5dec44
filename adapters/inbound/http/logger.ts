/** The part of a logger that the kit uses; pino fits. */
export interface Logger {
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}
