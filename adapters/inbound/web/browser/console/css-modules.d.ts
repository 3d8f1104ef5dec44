declare module '*.module.css' {
  const classes: Readonly<Record<string, string>>
  // CSS modules have a default export only.
  export default classes
}
