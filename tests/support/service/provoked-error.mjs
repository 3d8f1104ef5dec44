// Loaded into a real `svc serve` before it starts: a request with a certain query starts a timer that throws.
import { ServerResponse } from 'node:http'

const end = ServerResponse.prototype.end
ServerResponse.prototype.end = function (...given) {
  if (this.req?.url?.includes('provoke=timer') === true)
    setTimeout(() => {
      throw new TypeError('provoked by a test')
    }, 10)
  if (this.req?.url?.includes('provoke=rejection') === true)
    void Promise.resolve().then(() => {
      throw new TypeError('provoked by a test')
    })
  return end.apply(this, given)
}
