output "links" {
  description = "Prefix of each link between a spine and a leaf."
  value       = { for name, link in local.links : name => link.prefix }
}
