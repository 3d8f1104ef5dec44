/** A request that cannot be read. The message is for the application's developer; nothing of what was sent is in it. */
export class SamlRequestError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SamlRequestError'
  }
}
