// What the build copies beside the scripts; importing it gives its address as seen from the script.
declare module "*.json" {
  const address: string;
  export default address;
}
