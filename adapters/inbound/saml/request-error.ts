/** A request that cannot be read. The message is for the application's developer; it contains no part of the request. */
export class SamlRequestError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SamlRequestError'
  }
}
