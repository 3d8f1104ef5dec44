// Loaded into a real `svc` before it starts: its clock starts at SVC_TEST_CLOCK and continues from there.
const RealDate = Date
const ahead = RealDate.parse(process.env.SVC_TEST_CLOCK ?? '') - RealDate.now()

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + ahead)
    else super(...given)
  }

  static now() {
    return RealDate.now() + ahead
  }
}
