/** Gives `node:os`, loaded when it is first needed: it lists the processors, which would take a twentieth of each start. */
export const nodeOs = () => process.getBuiltinModule("node:os")
