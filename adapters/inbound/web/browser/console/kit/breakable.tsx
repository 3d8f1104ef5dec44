/** A value without spaces that breaks after its separators. */
import { Fragment } from 'react'

/**
 * Offers line breaks in an address, a URL or the name of an event, so that a narrow column does not cut its words.
 * Numbers stay whole, such as 192.0.2.1 and 12:30.
 * What is copied from the page has no breaks.
 */
export const Breakable = ({ children }: { readonly children: string }) =>
  children.split(/(?<=[^\s@./:_|?&=][@./:_|?&=]+)(?=[^\s@./:_|?&=])(?<!\d[.:](?=\d))/u).map((part, at) => (
    // The parts of one text have no identity but their place.
    <Fragment key={String(at)}>
      {at > 0 && <wbr />}
      {part}
    </Fragment>
  ))
