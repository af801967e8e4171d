/** The types of `penknife/plugin` as text, which the build embeds. */
declare module "#plugin-types" {
  const text: string
  export default text
}
